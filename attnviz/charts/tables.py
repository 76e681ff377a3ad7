"""Tables in HTML that page.css styles: what mechanisms are worth, and which classes a model confuses.

HTML like attnviz/charts/dots.py, for the same reason: the verdicts are the first thing on their page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_HEADS = ("Mechanism", "With it", "Without it", "Difference in points, 95 % interval", "Verdict")


@dataclass(frozen=True)
class Side:
    """A model in a row.

    Args:
        figure: its accuracy in words.
        note: how many seeds, and what else must be stated of it.
        link: the URL of a page that shows the model; None where its weights are not here.
    """

    name: str
    figure: str
    note: str
    link: str | None = None


@dataclass(frozen=True)
class Line:
    """A row.

    Args:
        link: the URL of its page.
        one, other: with the mechanism, and without it; the other is None where it has not been trained.
        difference: in points, with its interval.
        verdict: one word.
        differs: what else differs between the two.
    """

    title: str
    link: str
    one: Side
    other: Side | None
    difference: str
    verdict: str
    differs: Sequence[str] = ()


def verdicts(lines: Sequence[Line]) -> str:
    """Return a row for each mechanism: with it, without it, the difference, and one word."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    rows = "".join(map(_row, lines))
    return f'<table class="verdicts"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def anchor(link: str | None, words: str) -> str:
    """Return words as a link that opens in the same window, or as they are; escaped."""
    text = escape(words)
    return text if link is None else f'<a href="{escape(link)}" target="_self">{text}</a>'


def _row(line: Line) -> str:
    other = "<small>not trained</small>" if line.other is None else _side(line.other)
    differs = f"<small>differs: {escape('; '.join(line.differs))}</small>" if line.differs else ""
    return (
        f'<tr><th scope="row">{anchor(line.link, line.title)}</th>'
        f'<td data-head="{_HEADS[1]}">{_side(line.one)}</td><td data-head="{_HEADS[2]}">{other}</td>'
        f'<td data-head="{_HEADS[3]}"><b>{escape(line.difference)}</b>{differs}</td>'
        f'<td data-head="{_HEADS[4]}"><strong>{escape(line.verdict)}</strong></td></tr>'
    )


def _side(side: Side) -> str:
    return f"<b>{escape(side.figure)}</b> {anchor(side.link, side.name)}<small>{escape(side.note)}</small>"


def confusion(counts: Sequence[Sequence[int]], classes: Sequence[str]) -> str:
    """Return HTML of how often each answer (column) was given to the pictures of each class (row); names in it are
    escaped. Wrong answers are the darker, the larger their share of the row.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in classes)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{_cells(row, place)}</tr>'
        for place, (name, row) in enumerate(zip(classes, counts, strict=True))
    )
    return (
        f'<table class="confusion"><thead><tr><th scope="col">class \\ answer</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _cells(row: Sequence[int], own: int) -> str:
    total = max(1, sum(row))
    cells = []
    for place, count in enumerate(row):
        share = count / total
        if place == own:
            cells.append(f"<td><strong>{count:,}</strong></td>")
        else:
            tint = f' style="--share:{min(1.0, 4 * share):.3f}"' if count else ""
            cells.append(f"<td{tint}>{f'{count:,}' if count else ''}</td>")
    return "".join(cells)

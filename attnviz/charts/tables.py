"""Tables in HTML that page.css styles: the value of mechanisms, and the classes that a model confuses.

They are HTML for the same reason as attnviz/charts/dots.py: the verdicts are the first content of their page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_HEADS = ("Mechanism", "With it", "Without it", "Difference in points, 95 % interval", "Verdict")


@dataclass(frozen=True)
class Side:
    """One of the two models in a row.

    Args:
        figure: its accuracy in words.
        note: number of seeds, and other remarks.
        link: URL of a page about the model; None if its weights are not available.
    """

    name: str
    figure: str
    note: str
    link: str | None = None


@dataclass(frozen=True)
class Line:
    """A row of the table.

    Args:
        link: URL of its page.
        one, other: the models with and without the mechanism; `other` is None if it was not trained.
        difference: the difference in points, with its interval.
        verdict: the verdict in one word.
        differs: further differences between the two.
    """

    title: str
    link: str
    one: Side
    other: Side | None
    difference: str
    verdict: str
    differs: Sequence[str] = ()


def verdicts(lines: Sequence[Line]) -> str:
    """Return a table with a row for each mechanism: with it, without it, the difference, and the verdict."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    rows = "".join(map(_row, lines))
    return f'<table class="verdicts"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def anchor(link: str | None, words: str) -> str:
    """Return escaped words, as a link that opens in the same window if there is one."""
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
    """Return HTML of the number of times that each answer (column) was given to pictures of each class (row), with
    escaped names. Wrong answers are darker, the larger their share of the row.
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

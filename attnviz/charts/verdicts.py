"""What mechanisms are worth, as a table in HTML: a row each, with it, without it, the difference, and one word.

HTML like attnviz/charts/dots.py, for the same reason: it is the first thing on its page.
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
    """Return the table, whose classes page.css styles."""
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

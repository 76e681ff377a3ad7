"""Several numbers of several things as bars, side by side: a table whose cells are as long as they are large.

HTML, as `attnviz.charts.dots` is, for the same reason.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Row:
    """One row.

    Args:
        name: what people read.
        values: a number for each column, 0 or more; None where it is not known.
        remark: what stands at the end of the row, in words.
        control: whether it is there to be compared with; its bars are hollow.
    """

    name: str
    values: tuple[float | None, ...]
    remark: str
    control: bool = False


def bars(
    rows: Sequence[Row],
    kind: str,
    columns: Sequence[str],
    remark: str,
    *,
    whole: float | None = None,
    decimals: int | None = None,
) -> str:
    """Return a table of bars: HTML, whose classes page.css styles.

    Args:
        rows: from top to bottom, at least one.
        kind: what the rows are.
        columns: what the values are, with their units.
        remark: what the remarks are.
        whole: the value whose bar fills its column, the same for all; None for the largest of each column.
        decimals: of every number, so that they can be compared at a glance; None for whole numbers as such, and for
            others four digits each.
    """
    longest = [whole or max(row.values[place] or 0 for row in rows) or 1 for place in range(len(columns))]
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in (kind, *columns, remark))
    say = written if decimals is None else f"{{:.{decimals}f}}".format
    body = "".join(_row(row, longest, columns, remark, say) for row in rows)
    classes = "bars bars-many" if len(columns) > 3 else "bars"
    return f'<table class="{classes}"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _row(row: Row, longest: Sequence[float], columns: Sequence[str], remark: str, say: Callable[[float], str]) -> str:
    kind = "bars-control" if row.control else "bars-mechanism"
    cells = "".join(
        f"<td><small>{escape(column)}</small>"
        f"<span>{_bar(value, most, kind)}</span>"
        f"<b>{'not measured' if value is None else escape(say(value))}</b></td>"
        for value, most, column in zip(row.values, longest, columns, strict=True)
    )
    end = f"<td><small>{escape(remark)}</small>{escape(row.remark)}</td>"
    return f'<tr><th scope="row">{escape(row.name)}</th>{cells}{end}</tr>'


def _bar(value: float | None, most: float, kind: str) -> str:
    return "" if value is None else f'<i class="{kind}" style="width:{100 * value / most:.2f}%"></i>'


def written(value: float) -> str:
    """Return a number as the table prints it: whole where it is, and from 1,000 up; else with four digits at most."""
    if value >= 999.95 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.4g}" if value >= 5e-4 else "< 0.001"

"""A table of bars: several numbers for several things, each drawn as a bar of that length.

It is HTML for the same reason as `attnviz.charts.dots`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Args:
        name: name for people.
        values: a number for each column, 0 or more; None if unknown.
        remark: text at the end of the row.
        control: whether the row is a control, with hollow bars.
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
    """Return a table of bars as HTML, whose classes page.css styles.

    Args:
        rows: rows from top to bottom, at least one.
        kind: heading of the names.
        columns: headings of the values, with their units.
        remark: heading of the remarks.
        whole: the value that fills a column, the same for all columns; None for the largest value of each column.
        decimals: decimals of every number, so that they can be compared at a glance; None prints whole numbers without
            any, and others with four digits.
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
    """Return a number as the table prints it: whole from 1,000 up or if it is whole, else with at most four digits."""
    if value >= 999.95 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.4g}" if value >= 5e-4 else "< 0.001"

"""Which classes a model confuses, as a table in HTML that page.css styles."""

from collections.abc import Sequence
from html import escape


def confusion(counts: Sequence[Sequence[int]], classes: Sequence[str]) -> str:
    """Draw how often each answer was given to the pictures of each class.

    Args:
        counts: a row for each class, a column for each answer.

    Returns:
        HTML of a table; names in it are escaped. Wrong answers are the darker, the larger their share of the row.
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

"""The formats of figures, differences and tests in tables, on pages and in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attnviz.charts import with_minus

if TYPE_CHECKING:
    from attnviz.card import Figure
    from attnviz.measures.difference import Difference
    from attnviz.recipes.recipe import Recipe, Test


def percent(share: float) -> str:
    """Format a share of 0..1 as a percentage with two digits: 98.86 %."""
    return f"{100 * share:.2f} %"


def counted(count: int, noun: str) -> str:
    """Format a count with its noun: "1 trial", "1,200 trials"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def quantity(value: float, unit: str) -> str:
    """Format a number in its unit: a share as a percentage, a count in full, anything else with four digits."""
    if unit == "share":
        return percent(value)
    return f"{value:,.0f}" if unit == "count" else f"{value:,.4g} {unit}"


def spread(figure: Figure) -> str:
    """Format a figure's mean over the seeds, and for several seeds the lowest and highest: 98.96 % (98.81 to 99.05)."""
    if figure.seeds == 1:
        return quantity(figure.value, figure.unit)
    return mean_of(figure.mean, figure.lowest, figure.highest, figure.unit)


def mean_of(mean: float, lowest: float, highest: float, unit: str) -> str:
    """Format a mean in its unit, with the lowest and the highest value: 98.96 % (98.81 to 99.05)."""
    if unit == "share":
        return f"{percent(mean)} ({100 * lowest:.2f} to {100 * highest:.2f})"
    low, high = (quantity(value, unit).removesuffix(f" {unit}") for value in (lowest, highest))
    return f"{quantity(mean, unit)} ({low} to {high})"


def points(difference: Difference) -> str:
    """Format a difference of shares in points: "+1.45 (+1.07 to +1.83)", or, without interval, "−1.45, *one seed*"."""
    if difference.interval is None:
        return f"{signed(difference.value)}, *{difference.missing}*"
    low, high = difference.interval
    return f"{signed(difference.value)} ({signed(low)} to {signed(high)})"


def marks(recipe: Recipe) -> list[str]:
    """Return the notes for tables on how a recipe's weights were chosen, if not on validation pictures alone."""
    return ["no validation part"] * (recipe.validation is None) + ["statistics renewed"] * (recipe.keep == "renewed")


def signed(share: float, digits: int = 2) -> str:
    """Format a difference of shares in points, with its sign: +1.45, −1.45."""
    return with_minus(f"{100 * share:+.{digits}f}")


def words(test: Test | Figure) -> str:
    """Describe a test: "mnist test, variants (bilinear)"."""
    if test.augmentation is None:
        return f"{test.data} {test.split}"
    kinds = [name for name in ("rotation", "shift", "noise", "mirror", "crop") if getattr(test.augmentation, name)]
    transformed = test.augmentation.stretch != (1.0, 1.0) or not set(kinds) <= {"noise", "mirror", "crop"}
    how = f"variants, {' or '.join(test.augmentation.sampling)}" if transformed or not kinds else " and ".join(kinds)
    return f"{test.data} {test.split}, {how}"


def table(lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table of the given lines, a header and rows with equal numbers of cells."""
    head, *rows = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, f"| {' | '.join(['---'] * len(lines[0]))} |", *rows])

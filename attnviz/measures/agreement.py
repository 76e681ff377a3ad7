"""Do two maps rank the places of a picture alike? Kendall's rank correlation, and maps that rank by chance.

No correlation says anything without two beside it: that of two accepted methods with each other, and that of a map
that is drawn at random.

Written out here, as scipy, which has it, is no dependency of attnviz: it would add 35 MB for these few lines.

Source: "A New Measure of Rank Correlation", Kendall, 1938; tau b, which allows for ties, Kendall, 1945. For attention:
"Attention is not Explanation", Jain and Wallace, 2019, https://arxiv.org/abs/1902.10186.
"""

import math

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

Floats = npt.NDArray[np.float64]

ROUNDING = 1e-5  # of the largest value of a map: an effect of that size may be one of rounding in single precision
_AT_ONCE = 512  # rows of the table of pairs, for memory


def kendall(one: Floats, other: Floats, *, equal: float = 0.0) -> float | None:
    """Return Kendall's tau b of two maps.

    Args:
        one, other: of the same shape and any axes.
        equal: values are rounded to such shares of the largest one, so that what differs by rounding has no order;
            `ROUNDING` is that of single precision.

    Returns:
        -1 (the reverse order) to 1 (the same order); about 0 by chance. None where a map is the same everywhere.

    Raises:
        BadInput: of other shapes, or with fewer than two places.
    """
    if one.shape != other.shape or one.size < 2:
        raise BadInput(f"Maps of the same places are ranked, at least two, not {one.shape} and {other.shape}.")
    first, second = (_rounded(values.ravel(), equal) for values in (one, other))
    agreeing, untied = 0, [0, 0]
    for start in range(0, first.size, _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        ups = np.sign(first[rows, None] - first).astype(np.int64), np.sign(second[rows, None] - second).astype(np.int64)
        agreeing += int((ups[0] * ups[1]).sum())
        untied = [count + int(np.count_nonzero(up)) for count, up in zip(untied, ups, strict=True)]
    if not all(untied):
        return None
    return agreeing / math.sqrt(untied[0] * untied[1])


def ranks(of: Floats, *, equal: float = 0.0) -> Floats:
    """Return where each place of a map stands in its order: the share of the other places that have less.

    Args:
        of: the map, with at least two places.
        equal: as of `kendall`; equal places count half to one another.

    Returns:
        float64 of that shape: 0 for the least, 1 for the largest, 0.5 everywhere where all are equal.
    """
    values = _rounded(of.ravel(), equal)
    below = (values[:, None] > values).sum(1) + 0.5 * ((values[:, None] == values).sum(1) - 1)
    return np.asarray(below / (values.size - 1)).reshape(of.shape)


def random_map(shape: tuple[int, ...], *, seed: int) -> Floats:
    """Return a map whose places are ranked by chance: float64 of that shape, 0..1."""
    return np.random.default_rng(seed).random(shape)


def by_chance(of: Floats, *, draws: int, seed: int, equal: float = 0.0) -> Floats:
    """Return the rank correlation of random maps with a map: float64 (draw,); NaN where the map ranks nothing.

    Args:
        of: the map.
        draws: how many random maps.
        seed: of the first; the others have those that follow.
        equal: as of `kendall`.
    """
    found = (kendall(of, random_map(of.shape, seed=seed + draw), equal=equal) for draw in range(draws))
    return np.array([np.nan if one is None else one for one in found])


def _rounded(values: Floats, equal: float) -> Floats:
    step = equal * float(np.abs(values).max())
    return np.round(values / step) if step else values

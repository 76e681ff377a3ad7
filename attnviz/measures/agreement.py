"""Do two maps rank the places of a picture alike? Kendall's rank correlation, and maps that rank by chance.

No correlation says anything without two beside it: that of two accepted methods with each other, and that of a map
that is drawn at random.

Written out here, as scipy, which has it, is no dependency of attnviz: it would add 35 MB for these few lines.

Source: "A New Measure of Rank Correlation", Kendall, 1938; tau b, which allows for ties, Kendall, 1945. For attention:
"Attention is not Explanation", Jain and Wallace, 2019, https://arxiv.org/abs/1902.10186.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats, Integers
from attnviz.errors import BadInput

ROUNDING = 1e-5  # of the largest value of a map: an effect of that size may be one of rounding in single precision


def kendall(one: Floats, other: Floats, *, equal: float = 0.0) -> Floats:
    """Return Kendall's tau b of maps, along their last axis.

    Args:
        one, other: (..., place), of the same shape.
        equal: values are rounded to such shares of the largest one of their map, so that what differs by rounding has
            no order; `ROUNDING` is that of single precision.

    Returns:
        float64 (...): -1 (the reverse order) to 1 (the same order); about 0 by chance. NaN where a map is the same
        everywhere.

    Source: in n log n by counting inversions: Knight, "A Computer Method for Calculating Kendall's Tau with Ungrouped
    Data", 1966.
    """
    if one.shape != other.shape or one.ndim < 1 or one.shape[-1] < 2:
        raise BadInput(f"Maps of the same places are ranked, at least two, not {one.shape} and {other.shape}.")
    places = one.shape[-1]
    first, second = (_ordinals(_rounded(values.reshape(-1, places), equal)) for values in (one, other))
    pairs = np.sort(first * places + second, axis=-1)  # by the first map, and where it is tied by the second
    ties = [_tied(ordinals) for ordinals in (first, second, _ordinals(pairs))]
    agreeing = places**2 - ties[0] - ties[1] + ties[2] - 4 * _inversions(pairs % places)  # ordered pairs
    untied = (places**2 - ties[0]) * (places**2 - ties[1])
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN of a map that ranks nothing
        return np.asarray(agreeing / np.sqrt(untied)).reshape(one.shape[:-1])


def ranks(of: Floats, *, equal: float = 0.0) -> Floats:
    """Return the share of the other places of a map that have less, 0..1, float64 of its shape; equal places (see
    `kendall`) count half to one another. The map has any axes and at least two places.
    """
    values = _rounded(of.ravel(), equal)
    ascending = np.sort(values)
    below, up_to = (np.searchsorted(ascending, values, side) for side in ("left", "right"))
    return np.asarray((below + 0.5 * (up_to - below - 1)) / (values.size - 1)).reshape(of.shape)


def random_map(shape: tuple[int, ...], *, seed: int) -> Floats:
    """Return a map whose places are ranked by chance: float64 of that shape, 0..1."""
    return np.random.default_rng(seed).random(shape)


def by_chance(of: Floats, *, draws: int, seed: int, equal: float = 0.0) -> Floats:
    """Return Kendall's tau of a map with `draws` random maps, whose seeds follow `seed`: float64 (draw,); NaN where the
    map ranks nothing.
    """
    drawn = np.stack([random_map(of.shape, seed=seed + draw).ravel() for draw in range(draws)])
    return kendall(np.broadcast_to(of.ravel(), drawn.shape), drawn, equal=equal)


def _rounded(values: Floats, equal: float) -> Floats:
    step = equal * np.abs(values).max(-1, keepdims=True)
    return np.where(step > 0, np.round(values / np.where(step > 0, step, 1)), values)


def _ordinals(values: npt.NDArray[Any]) -> Integers:
    """Return the number of each value among the distinct ones of its row, in ascending order."""
    order = values.argsort(-1)
    steps = np.diff(np.take_along_axis(values, order, -1), prepend=values.min(-1, keepdims=True)) != 0
    ordinals = np.empty(values.shape, np.int64)
    np.put_along_axis(ordinals, order, steps.cumsum(-1), -1)
    return ordinals


def _tied(ordinals: Integers) -> Integers:
    """Return how many ordered pairs of each row are equal, a place with itself among them."""
    rows, places = ordinals.shape
    numbers = ordinals + places * np.arange(rows)[:, None]
    counts: Integers = np.bincount(numbers.ravel(), minlength=rows * places).reshape(rows, places)
    return np.asarray((counts**2).sum(-1))


def _inversions(values: Integers) -> Integers:
    """Return how many pairs of each row descend. Each pair counts at the highest bit in which its two differ."""
    places = np.arange(values.shape[-1])
    values = values.astype(np.min_scalar_type(len(places)))  # numpy sorts those of 16 bits by radix
    found = np.zeros(len(values), np.int64)
    for bit in reversed(range(len(places).bit_length())):
        order = (values >> bit).argsort(-1, kind="stable")
        values = np.take_along_axis(values, order, -1)
        found += np.abs(order - places).sum(-1) // 2  # a 0 moves left past as many 1s as it is inverted with
    return found

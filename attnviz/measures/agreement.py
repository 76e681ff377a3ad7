"""Whether two maps rank the positions of a picture similarly: Kendall's rank correlation, and random maps.

A correlation is meaningful only next to two others: that of two accepted methods with each other, and that of a map
drawn at random.

It is implemented here because scipy, which has it, would add a dependency of 35 MB for these few lines.

Source: "A New Measure of Rank Correlation", Kendall, 1938; tau b, which allows for ties, Kendall, 1945. For attention:
"Attention is not Explanation", Jain and Wallace, 2019, https://arxiv.org/abs/1902.10186.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats, Integers
from attnviz.errors import BadInput

ROUNDING = 1e-5  # fraction of a map's largest value: a smaller effect may be rounding in single precision


def kendall(one: Floats, other: Floats, *, equal: float = 0.0) -> Floats:
    """Return Kendall's tau b of maps, along their last axis.

    Args:
        one, other: (..., position), of the same shape.
        equal: values are rounded to multiples of this share of their map's largest value, so that differences due to
            rounding have no order; use `ROUNDING` for single precision.

    Returns:
        float64 (...), from -1 (reverse order) to 1 (same order), and about 0 by chance; NaN if a map is constant.

    Source: counting inversions in n log n is from Knight, "A Computer Method for Calculating Kendall's Tau with
    Ungrouped Data", 1966.
    """
    if one.shape != other.shape or one.ndim < 1 or one.shape[-1] < 2:
        raise BadInput(f"Maps of the same places are ranked, at least two, not {one.shape} and {other.shape}.")
    places = one.shape[-1]
    first, second = (_ordinals(_rounded(values.reshape(-1, places), equal)) for values in (one, other))
    pairs = np.sort(first * places + second, axis=-1)  # ordered by the first map, ties by the second
    ties = [_tied(ordinals) for ordinals in (first, second, _ordinals(pairs))]
    agreeing = places**2 - ties[0] - ties[1] + ties[2] - 4 * _inversions(pairs % places)  # ordered pairs
    untied = (places**2 - ties[0]) * (places**2 - ties[1])
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN of a constant map
        return np.asarray(agreeing / np.sqrt(untied)).reshape(one.shape[:-1])


def ranks(of: Floats, *, equal: float = 0.0) -> Floats:
    """Return the share of a map's other positions with smaller values, 0..1, float64 of its shape. Equal positions (see
    `kendall`) count as half. The map has any number of axes and at least two positions.
    """
    values = _rounded(of.ravel(), equal)
    ascending = np.sort(values)
    below, up_to = (np.searchsorted(ascending, values, side) for side in ("left", "right"))
    return np.asarray((below + 0.5 * (up_to - below - 1)) / (values.size - 1)).reshape(of.shape)


def random_map(shape: tuple[int, ...], *, seed: int) -> Floats:
    """Return a map of this shape with randomly ranked positions: float64, 0..1."""
    return np.random.default_rng(seed).random(shape)


def by_chance(of: Floats, *, draws: int, seed: int, equal: float = 0.0) -> Floats:
    """Return Kendall's tau of a map with `draws` random maps, drawn with seeds derived from `seed`: float64 (draw,),
    NaN if the map is constant.
    """
    drawn = np.stack([random_map(of.shape, seed=seed + draw).ravel() for draw in range(draws)])
    return kendall(np.broadcast_to(of.ravel(), drawn.shape), drawn, equal=equal)


def _rounded(values: Floats, equal: float) -> Floats:
    step = equal * np.abs(values).max(-1, keepdims=True)
    return np.where(step > 0, np.round(values / np.where(step > 0, step, 1)), values)


def _ordinals(values: npt.NDArray[Any]) -> Integers:
    """Return the rank of each value among the distinct values of its row, in ascending order."""
    order = values.argsort(-1)
    steps = np.diff(np.take_along_axis(values, order, -1), prepend=values.min(-1, keepdims=True)) != 0
    ordinals = np.empty(values.shape, np.int64)
    np.put_along_axis(ordinals, order, steps.cumsum(-1), -1)
    return ordinals


def _tied(ordinals: Integers) -> Integers:
    """Return the number of ordered pairs in each row that are equal, including each position with itself."""
    rows, places = ordinals.shape
    numbers = ordinals + places * np.arange(rows)[:, None]
    counts: Integers = np.bincount(numbers.ravel(), minlength=rows * places).reshape(rows, places)
    return np.asarray((counts**2).sum(-1))


def _inversions(values: Integers) -> Integers:
    """Return the number of descending pairs in each row. Each pair counts at the highest bit in which it differs."""
    places = np.arange(values.shape[-1])
    values = values.astype(np.min_scalar_type(len(places)))  # numpy sorts 16-bit values by radix
    found = np.zeros(len(values), np.int64)
    for bit in reversed(range(len(places).bit_length())):
        order = (values >> bit).argsort(-1, kind="stable")
        values = np.take_along_axis(values, order, -1)
        found += np.abs(order - places).sum(-1) // 2  # a 0 moves left past every 1 that it is inverted with
    return found

"""Which pictures gain: the right answers of two models by the angle of the picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.arrays import Bools, Floats
from attnviz.errors import BadInput
from attnviz.measures.difference import student


@dataclass(frozen=True)
class Band:
    """Two models on the pictures that were rotated by similar angles.

    Args:
        first, last: bounds of the absolute angle in degrees; the upper bound is exclusive, except in the last band.
        count: number of pictures.
        errors: error rate of each model.
        gain: error rate of the second model minus that of the first.
        interval: limits of the 95 % interval of the gain over the pictures, compared one by one, for one training each.
    """

    first: float
    last: float
    count: int
    errors: tuple[float, float]
    gain: float
    interval: tuple[float, float]


def by_angle(one: Bools, other: Bools, angles: Floats, edges: Sequence[float]) -> list[Band]:
    """Compare two models by the angle of the picture.

    Args:
        one, other: (picture,), which pictures each model answers correctly.
        angles: (picture,), degrees.
        edges: bounds of the bands, ascending; only the absolute angle counts.

    Returns:
        The bands that contain at least two pictures.
    """
    if not one.shape == other.shape == angles.shape:
        raise BadInput(f"Answers and angles are of the same pictures, not {one.shape}, {other.shape}, {angles.shape}.")
    size, found = np.abs(angles), []
    for first, last in zip(edges, edges[1:], strict=False):
        inside = (size >= first) & ((size < last) | ((last == edges[-1]) & (size == last)))
        count = int(inside.sum())
        if count < 2:
            continue
        apart = one[inside].astype(float) - other[inside]
        gain, half = float(apart.mean()), student(count - 1) * float(apart.std(ddof=1)) / count**0.5
        errors = 1 - float(one[inside].mean()), 1 - float(other[inside].mean())
        found.append(Band(first, last, count, errors, gain, (gain - half, gain + half)))
    return found

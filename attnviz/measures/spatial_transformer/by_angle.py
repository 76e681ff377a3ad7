"""Who gains: the right answers of two models by the angle of the picture."""

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
        first, last: degrees to either side; the last one is not in it, but in the last band.
        count: of pictures.
        errors: the share that each model gets wrong.
        gain: by how much that of the second is larger.
        interval: the ends of its 95 % interval over the pictures, compared one by one; of one training each.
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
        one, other: (picture,), which each answers correctly.
        angles: (picture,), degrees.
        edges: of the bands, ascending; angles count to either side.

    Returns:
        Those bands that have at least two pictures.
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

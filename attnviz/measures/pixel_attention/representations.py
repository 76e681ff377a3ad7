"""What a component of query, key or value looks like where each map is drawn on a scale of its own.

Without positions a component of a pixel's query, key or value is w * intensity + b. Drawn from its own lowest to its
own highest value, b and the size of w are lost, and what is left is the picture (w > 0) or its negative (w < 0).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.arrays import Floats

Kind = Literal["picture", "negative", "other"]

ROUNDING = 1e-9  # of the whole scale: what double precision leaves of w * intensity + b is far less, even for small w
_FLAT = 1e-12  # of the largest value: a smaller span is rounding


@dataclass(frozen=True)
class Count:
    """How many maps are the picture, its negative, or neither, each on its own scale."""

    picture: int
    negative: int
    other: int

    @property
    def all(self) -> int:
        """How many there are."""
        return self.picture + self.negative + self.other


def scaled(maps: Floats) -> Floats:
    """Return maps, float64 (..., token), scaled from 0, the lowest value, to 1, the highest; 0 where all are equal."""
    lowest, highest = maps.min(-1, keepdims=True), maps.max(-1, keepdims=True)
    span = highest - lowest
    flat = span <= _FLAT * np.abs(maps).max(-1, keepdims=True)
    found: Floats = np.where(flat, 0, (maps - lowest) / np.where(flat, 1, span))
    return found


def kinds(maps: Floats, picture: Floats) -> tuple[Kind, ...]:
    """Return for each map (map, token) what it is on its own scale: the picture, whose intensities (token,) are more
    than one, its negative, or anything else.
    """
    wanted = scaled(picture)
    found = scaled(maps)
    same = np.abs(found - wanted).max(1) < ROUNDING
    turned = np.abs(found - (1 - wanted)).max(1) < ROUNDING
    return tuple(
        "picture" if is_same else "negative" if is_turned else "other"
        for is_same, is_turned in zip(same, turned, strict=True)
    )


def count(found: Iterable[Kind]) -> Count:
    """Count how many of several maps are the picture, its negative, or anything else, from what `kinds` returns."""
    kinds = [*found]
    return Count(kinds.count("picture"), kinds.count("negative"), kinds.count("other"))


def needed(weights: Floats) -> list[int]:
    """Return how many tokens, the largest weights first, hold half of each row of weights, float64 (row, token), 0 or
    more.
    """
    reached = np.sort(weights, axis=1)[:, ::-1].cumsum(1)
    return [int(number) for number in (reached < reached[:, -1:] / 2).sum(1) + 1]

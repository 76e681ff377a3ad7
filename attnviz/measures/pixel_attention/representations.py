"""What a component of query, key or value looks like if each map is drawn on its own scale.

Without positions a component of a pixel's query, key or value is w * intensity + b. If it is drawn from its minimum to
its maximum, b and the size of w are lost, and the result is the picture (w > 0) or its negative (w < 0).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.arrays import Floats

Kind = Literal["picture", "negative", "other"]

ROUNDING = 1e-9  # fraction of the whole scale: double precision rounds w * intensity + b far less, even for small w
_FLAT = 1e-12  # fraction of the largest value: a smaller span is rounding


@dataclass(frozen=True)
class Count:
    """The number of maps that are the picture, its negative, or neither, each on its own scale."""

    picture: int
    negative: int
    other: int

    @property
    def all(self) -> int:
        """The total number of maps."""
        return self.picture + self.negative + self.other


def scaled(maps: Floats) -> Floats:
    """Return maps, float64 (..., token), scaled from 0 (minimum) to 1 (maximum), or 0 if all values are equal."""
    lowest, highest = maps.min(-1, keepdims=True), maps.max(-1, keepdims=True)
    span = highest - lowest
    flat = span <= _FLAT * np.abs(maps).max(-1, keepdims=True)
    found: Floats = np.where(flat, 0, (maps - lowest) / np.where(flat, 1, span))
    return found


def kinds(maps: Floats, picture: Floats) -> tuple[Kind, ...]:
    """Return for each map (map, token) what it shows on its own scale: the picture (token,), its negative, or anything
    else. The picture must have more than one intensity.
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
    """Count the maps that show the picture, its negative, or anything else, from the result of `kinds`."""
    kinds = [*found]
    return Count(kinds.count("picture"), kinds.count("negative"), kinds.count("other"))


def needed(weights: Floats) -> list[int]:
    """Return the number of tokens, in order of decreasing weight, that hold half of each row of weights, float64 (row,
    token), 0 or more.
    """
    reached = np.sort(weights, axis=1)[:, ::-1].cumsum(1)
    return [int(number) for number in (reached < reached[:, -1:] / 2).sum(1) + 1]

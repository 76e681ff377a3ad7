"""Do two maps rank the places of a picture alike? Kendall's rank correlation, and maps that rank by chance.

No correlation says anything without two beside it: that of two accepted methods with each other, and that of a map
that is drawn at random.

Source: "A New Measure of Rank Correlation", Kendall, 1938; tau b, which allows for ties, Kendall, 1945. For attention:
"Attention is not Explanation", Jain and Wallace, 2019, https://arxiv.org/abs/1902.10186.
"""

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

Floats = npt.NDArray[np.float64]

_AT_ONCE = 512  # rows of the table of pairs, for memory


def kendall(one: Floats, other: Floats) -> float | None:
    """Return Kendall's tau b of two maps.

    Args:
        one, other: of the same shape and any axes.

    Returns:
        -1 (the reverse order) to 1 (the same order); about 0 by chance. None where a map is the same everywhere.

    Raises:
        BadInput: of other shapes, or with fewer than two places.
    """
    if one.shape != other.shape or one.size < 2:
        raise BadInput(f"Maps of the same places are ranked, at least two, not {one.shape} and {other.shape}.")
    first, second = one.ravel(), other.ravel()
    agreeing, untied = 0, [0, 0]
    for start in range(0, first.size, _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        ups = np.sign(first[rows, None] - first).astype(np.int64), np.sign(second[rows, None] - second).astype(np.int64)
        agreeing += int((ups[0] * ups[1]).sum())
        untied = [count + int(np.count_nonzero(up)) for count, up in zip(untied, ups, strict=True)]
    if not all(untied):
        return None
    return agreeing / math.sqrt(untied[0] * untied[1])


def kendalls(maps: Mapping[str, Floats]) -> dict[tuple[str, str], float | None]:
    """Return `kendall` of each two of several maps.

    Args:
        maps: name -> map, all of the same shape.

    Returns:
        Two names, in their order -> the correlation.

    Raises:
        BadInput: maps of other shapes.
    """
    names = list(maps)
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    return {pair: kendall(maps[pair[0]], maps[pair[1]]) for pair in pairs}


def random_map(shape: tuple[int, ...], *, seed: int) -> Floats:
    """Return a map whose places are ranked by chance: float64 of that shape, 0..1."""
    return np.random.default_rng(seed).random(shape)

"""A few operations of mathematical morphology: extremes in moving windows, and connected pieces of a mask."""

from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


def extreme(values: npt.NDArray[Any], window: int | tuple[int, int], of: np.ufunc) -> npt.NDArray[Any]:
    """Return the extreme of values, (row, column) or (row, column, channel), in the window with odd sides around each
    pixel; pixels beyond the edges are ignored.
    """
    sides = window if isinstance(window, tuple) else (window, window)
    for axis, side in enumerate(sides):
        values = _along(values, side, axis, of)
    return values


def _along(values: npt.NDArray[Any], side: int, axis: int, of: np.ufunc) -> npt.NDArray[Any]:
    if side == 1:
        return values
    padding = [(0, 0)] * values.ndim
    padding[axis] = (side // 2, side // 2)
    held = np.moveaxis(np.pad(values, padding, "edge"), axis, 0)
    reach = 1
    while 2 * reach <= side:  # windows of 1, 2, 4, ... and finally two that overlap
        held = of(held[:-reach], held[reach:])
        reach *= 2
    if side > reach:
        held = of(held[: len(held) - (side - reach)], held[side - reach :])
    return np.moveaxis(held, 0, axis)


def pieces(mask: Mask) -> npt.NDArray[np.int64]:
    """Return the number, from 1, of each pixel's connected piece, and 0 outside; shared corners connect pixels.

    It uses union-find with path halving on all pairs of neighbours at once.
    """
    high, wide = mask.shape
    number = np.full((high + 1, wide + 2), -1)
    number[:high, 1:-1][mask] = np.arange(int(mask.sum()))
    here = number[:high, 1:-1]
    pairs = [
        np.stack([here[both], other[both]])
        for other in (number[:high, 2:], number[1:, 1:-1], number[1:, 2:], number[1:, :-2])
        for both in [(here >= 0) & (other >= 0)]
    ]
    first, second = np.concatenate(pairs, axis=1)
    root = np.arange(int(mask.sum()))
    while True:
        one, two = root[first], root[second]
        apart = one != two
        if not apart.any():
            break
        first, second = first[apart], second[apart]
        np.minimum.at(root, np.maximum(one[apart], two[apart]), np.minimum(one[apart], two[apart]))
        while (root[root] != root).any():
            root = root[root]
    found = np.zeros(mask.shape, np.int64)
    if len(root):
        found[mask] = np.unique(root, return_inverse=True)[1] + 1
    return found

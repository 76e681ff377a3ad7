"""The rules of ruled and squared paper, found in a picture of ink and subtracted from it.

    ink, lined = without_rules(ink)       # float32 (row, column), bool (row, column)

Rules are thin, long, straight and several, which the strokes of a digit are not. Each is followed along all directions
of up to 15 degrees from the horizontal or the vertical, with gaps where strokes cross it.
"""

import numpy as np
import numpy.typing as npt

from attnviz.data.inputs.morphology import extreme

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_WIDEST = 9  # pixels, wider than a rule
_LONG = 0.3  # of the longer side, the part of a rule that is looked at
_FILLED = 0.6  # of it has to be there
_SPAN = 0.42  # of the picture's side along it, how far a rule reaches
_SLOPES = np.linspace(-0.26, 0.26, 25)
_FEWEST = 3
_SPARSE = 0.01  # of the picture, less than which no rules cover


def without_rules(ink: Floats, noise: float) -> tuple[Floats, Mask]:
    """Subtract rules from ink, (row, column), how much darker a pixel is than paper; return also where they were."""
    left, lined = ink, np.zeros(ink.shape, bool)
    for turned in (False, True):
        values = left.T if turned else left
        its = _horizontal(values, noise)
        if its.any():
            values, its = _subtracted(values, its)
            left = values.T if turned else values
            lined |= its.T if turned else its
    return left, lined


def _horizontal(ink: Floats, noise: float) -> Mask:
    """Return where there are rules from left to right."""
    opened = extreme(extreme(ink, (_WIDEST, 1), np.minimum), (_WIDEST, 1), np.maximum)
    thin = ink - opened > max(2.5 * noise, 0.012)
    high, wide = thin.shape[0] // 2, thin.shape[1] // 2
    if min(high, wide) < _WIDEST:
        return np.zeros(ink.shape, bool)
    half = thin[: 2 * high, : 2 * wide].reshape(high, 2, wide, 2).any((1, 3))
    if half.mean() < _SPARSE:
        return np.zeros(ink.shape, bool)
    length = max(int(_LONG * max(high, wide)), 3)
    if wide < length + 2:
        return np.zeros(ink.shape, bool)
    near = half.copy()
    near[1:] |= half[:-1]
    rows, columns = np.arange(high)[:, None], np.arange(wide)
    along = np.zeros((high, wide), np.float32)
    for slope in _SLOPES:
        shift = np.rint(slope * (columns - wide / 2)).astype(int)
        sheared = near[(rows + shift) % high, columns]
        running = np.zeros((high, wide + 1), np.int32)
        sheared.cumsum(1, out=running[:, 1:])
        starts = (columns - length // 2).clip(0, wide - length)
        share = (running[:, starts + length] - running[:, starts]) / np.float32(length)
        np.maximum(along, share[(rows - shift) % high, columns], out=along)
    found = near & (along > _FILLED)
    found = (
        extreme(found, (1, 2 * (length // 6) + 1), np.maximum)
        & (along > _FILLED * 0.9)
        & extreme(near, (3, 1), np.maximum)
    )
    if not _several(found):
        return np.zeros(ink.shape, bool)
    full = np.zeros(ink.shape, bool)
    full[: 2 * high, : 2 * wide] = found.repeat(2, 0).repeat(2, 1)
    lines: Mask = full & extreme(thin, 3, np.maximum)
    return lines


def _several(found: Mask) -> bool:
    """Whether enough long lines lie below one another: counted in columns, as the median of those that have any."""
    begins = found[1:] & ~found[:-1]
    counts = begins.sum(0)
    reach = (counts >= _FEWEST).mean()
    return bool(reach >= _SPAN)


def _subtracted(ink: Floats, lined: Mask) -> tuple[Floats, Mask]:
    """Subtract what a rule usually has, and bridge strokes that cross it; return where there is no more than a rule."""
    usual = np.float32(np.median(ink[lined]))
    left = np.where(lined, np.maximum(ink - usual, 0), ink)
    outside = np.where(lined, np.float32(0), left)
    reach = _WIDEST
    above, below = np.zeros_like(left), np.zeros_like(left)
    for step in range(1, reach + 1):
        above[step:] = np.maximum(above[step:], outside[:-step])
        below[:-step] = np.maximum(below[:-step], outside[step:])
    bridged: Floats = np.where(lined, np.maximum(left, np.minimum(np.minimum(above, below), ink)), left)
    return bridged, lined & (left < usual)

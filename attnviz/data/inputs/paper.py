"""Telling ink from paper on a grey picture, and fitting the picture to the drawing canvas.

    inked, dark = ink(upload.grey)        # uint8 (row, column), 0 is paper, 255 is ink; whether the ink was dark
    canvas = fitted(inked)                # uint8 (280, 280)

A scan, a screenshot or a picture of MNIST is `clean` and used unchanged. In a photograph, `photograph` finds the digit.
The lines of ruled and squared paper are found in a picture of ink and subtracted from it.
"""

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from attnviz.data.inputs.digit import CANVAS, FAINT, averaged
from attnviz.data.inputs.morphology import extreme

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

# The border where paper is expected: the outer fourteenth, two pixels of 28. MNIST keeps four free.
_BORDER = 14
_CLEAN = 0.75  # the share of the border that must be blank; a digit may cross it in places
_TWO_LEVELS = 0.6  # the share of black or white pixels in a picture that is not a photograph

# Longer side of the small picture on which the ink is determined, and of the window moved over it. A window is
# wider than a stroke, so that most of it is paper.
_COARSE, _AROUND = 28, 15

_STROKE = 65  # pixels in a photograph of 512, wider than the widest stroke
_DAMPED = 12.0  # levels, of 255, added to both sides of a ratio, to damp the noise of dark regions


def ink(grey: Bytes, dark: bool | None = None) -> tuple[Bytes, bool]:
    """Convert a grey picture, 255 is white, to ink on paper, 255 is ink, both uint8 (row, column); also return whether
    the ink was dark, unless `dark` determines it.

    A clean border is paper. Without one, ink is what differs from its surroundings: a stroke is narrower than the paper
    between strokes, so it differs more from the median around it than paper does.
    """
    if dark is None:
        dark = _is_dark(grey)
    return (255 - grey if dark else grey), dark


def against(values: Floats) -> tuple[Floats, Floats]:
    """Return how much darker pixels are than the paper around them, as a logarithm to base 10, and its level, 0..1.

    Args:
        values: float32 (row, column, channel), 0..255.
    """
    closed = extreme(extreme(values, _STROKE, np.maximum), _STROKE, np.minimum)
    level = np.maximum(closed, values)
    darker: Floats = np.log10((level + _DAMPED) / (values + _DAMPED))
    return darker, level.mean(2) / 255


def clean(grey: Bytes) -> bool:
    """Return whether a picture has a blank border or is black and white, like a scan or a screenshot."""
    border = _border(grey)
    if _blank(border) or _blank(255 - border):
        return True
    return bool(((grey < FAINT) | (grey > 255 - FAINT)).mean() >= _TWO_LEVELS)  # a tightly cropped scan


def fitted(inked: Bytes) -> Bytes:
    """Scale ink on paper, uint8 (row, column), proportionally to the middle of the canvas, uint8 (280, 280)."""
    high, wide = inked.shape
    pixel = max(high, wide) / CANVAS
    shape = (max(round(high / pixel), 1), max(round(wide / pixel), 1))
    canvas = np.zeros((CANVAS, CANVAS), np.uint8)
    top, left = (CANVAS - shape[0]) // 2, (CANVAS - shape[1]) // 2
    canvas[top : top + shape[0], left : left + shape[1]] = averaged(inked, (0, 0), pixel, shape)
    return canvas


def _border(values: Bytes) -> Bytes:
    width = -(-min(values.shape) // _BORDER)
    inner = np.zeros(values.shape, bool)
    inner[width:-width, width:-width] = True
    return values[~inner]


def _blank(border: Bytes) -> bool:
    return bool((border < FAINT).mean() >= _CLEAN)


def _is_dark(grey: Bytes) -> bool:
    border = _border(grey)
    for dark, values in ((False, border), (True, 255 - border)):
        if _blank(values):
            return dark
    small = _shrunk(grey, _COARSE)
    around = small.filter(ImageFilter.MedianFilter(_AROUND))
    away = np.asarray(small).astype(np.int64) - np.asarray(around)
    return bool((away**3).sum() < 0)


def _shrunk(values: Bytes, longest: int) -> Image.Image:
    share = longest / max(values.shape)
    size = (max(round(values.shape[1] * share), 1), max(round(values.shape[0] * share), 1))
    return Image.fromarray(values).resize(size, Image.Resampling.BOX)


Mask = npt.NDArray[np.bool_]

_WIDEST = 9  # pixels, wider than a ruled line
_LONG = 0.3  # length, as a share of the longer side, of the examined part of a line
_FILLED = 0.6  # the share of that part that must be dark
_SPAN = 0.42  # minimum length of a ruled line, as a share of the picture's side
_SLOPES = np.linspace(-0.26, 0.26, 25)
_FEWEST = 3
_SPARSE = 0.01  # minimum share of the picture that ruled lines cover


def without_rules(ink: Floats, noise: float) -> tuple[Floats, Mask]:
    """Subtract ruled lines from ink, (row, column), the darkness relative to paper; also return their positions."""
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
    """Return the positions of horizontal ruled lines."""
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
    """Return whether enough columns of the picture cross at least `_FEWEST` lines, one below the other."""
    begins = found[1:] & ~found[:-1]
    counts = begins.sum(0)
    reach = (counts >= _FEWEST).mean()
    return bool(reach >= _SPAN)


def _subtracted(ink: Floats, lined: Mask) -> tuple[Floats, Mask]:
    """Subtract a line's usual ink, and bridge strokes that cross it; also return the pixels that show only a line."""
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

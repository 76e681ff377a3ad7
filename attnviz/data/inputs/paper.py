"""Ink and paper: which is which on a grey picture, and how the picture comes onto the canvas that is drawn on.

    inked, dark = ink(upload.grey)        # uint8 (row, column), 0 is paper, 255 is ink; was it dark ink on light paper?
    canvas, notes = to_canvas(inked)      # uint8 (280, 280), and what was done beside fitting it, in sentences

A scan, a screenshot or a picture of MNIST has clean paper and is taken as it is. On a photograph the paper is grey, and
darker in one corner than in the other: there it is estimated and subtracted, and what remains is parted into ink and
paper, with soft edges.

Source: Otsu, "A Threshold Selection Method from Gray-Level Histograms", 1979, https://doi.org/10.1109/TSMC.1979.4310076.
"""

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from attnviz.data.inputs.digit import CANVAS, FAINT, averaged

Bytes = npt.NDArray[np.uint8]

# Where the paper is looked for: the outer fourteenth, which is the two outer pixels of 28. MNIST keeps four free.
_BORDER = 14
_CLEAN = 0.75  # of the border has to be blank: a digit may cross it here and there

# Longer sides of the small pictures, and of the windows moved over them, on which it is judged which is the ink and
# how dark the paper is. A window is wider than a stroke, so that most of it is paper, and narrower than most shadows.
_COARSE, _AROUND = 28, 15
_FINE, _PAPER = 56, 21

_CONTRAST = 24  # levels between ink and paper; below that there is nothing but noise


def ink(grey: Bytes, dark: bool | None = None) -> tuple[Bytes, bool]:
    """Turn a grey picture into ink on paper.

    A clean border is paper. Where there is none, ink is what stands out from its own surroundings: a stroke is
    narrower than the paper between strokes, so it leaves the median around it further behind than paper does.

    Args:
        grey: uint8 (row, column), 255 is white.
        dark: whether the ink is darker than the paper; None decides.

    Returns:
        uint8 (row, column), 0 is paper and 255 is ink; and whether dark ink was found, and the picture inverted.
    """
    if dark is None:
        dark = _is_dark(grey)
    return (255 - grey if dark else grey), dark


def to_canvas(inked: Bytes) -> tuple[Bytes, tuple[str, ...]]:
    """Fit a picture into the canvas, its proportions kept, in the middle; take away paper that is not blank.

    Args:
        inked: uint8 (row, column), 0 is paper and 255 is ink, of any size.

    Returns:
        uint8 (280, 280), and what was done beside fitting it, in sentences.
    """
    high, wide = inked.shape
    pixel = max(high, wide) / CANVAS
    shape = (max(round(high / pixel), 1), max(round(wide / pixel), 1))
    fitted = averaged(inked, (0, 0), pixel, shape)
    notes: tuple[str, ...] = ()
    border = _border(inked)
    if not _blank(border) and not _blank(255 - border):  # a clean border of full ink is one that was chosen
        fitted, note = _cleaned(fitted)
        notes = (note,)
    canvas = np.zeros((CANVAS, CANVAS), np.uint8)
    top, left = (CANVAS - shape[0]) // 2, (CANVAS - shape[1]) // 2
    canvas[top : top + shape[0], left : left + shape[1]] = fitted
    return canvas, notes


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


def _cleaned(fitted: Bytes) -> tuple[Bytes, str]:
    paper = _shrunk(fitted, _FINE).filter(ImageFilter.MedianFilter(_PAPER)).filter(ImageFilter.GaussianBlur(_PAPER / 6))
    level = np.asarray(paper.resize(fitted.shape[::-1], Image.Resampling.BICUBIC)).astype(np.int64)
    above = np.maximum(fitted - level, 0).astype(np.uint8)
    threshold = _otsu(above)
    dark, light = above[above > threshold], above[above <= threshold]
    if not dark.size or dark.mean() - light.mean() < _CONTRAST:
        return np.zeros_like(fitted), "Nothing in it stands out from its background, so the canvas is empty."
    # From none at the threshold to full half the way to the ink: a soft edge, and no shade left on the paper.
    parted = ((above - float(threshold)) / ((float(dark.mean()) - threshold) / 2)).clip(0, 1)
    return np.rint(255 * parted).astype(np.uint8), (
        "Its background is not blank, so it was treated as a photograph: the background was estimated and subtracted."
    )


def _shrunk(values: Bytes, longest: int) -> Image.Image:
    share = longest / max(values.shape)
    size = (max(round(values.shape[1] * share), 1), max(round(values.shape[0] * share), 1))
    return Image.fromarray(values).resize(size, Image.Resampling.BOX)


def _otsu(values: Bytes) -> int:
    """Return the level that parts the values best: up to it the one group, above it the other."""
    counts = np.bincount(values.ravel(), minlength=256).astype(np.float64)
    below, weight = counts.cumsum(), (counts * np.arange(256)).cumsum()
    above = below[-1] - below
    both = np.maximum(below * above, 1)  # where one of them is empty, the other has all of the weight, and this is 0
    between = (weight[-1] * below / below[-1] - weight) ** 2 / both
    return int(between.argmax())

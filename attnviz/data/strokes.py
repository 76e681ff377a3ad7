"""Drawn digits without a download, from our own seeded and versioned generator.

A digit is drawn like handwriting: a shape of `skeletons` is chosen, its points are jittered, the whole is slanted,
turned, stretched and warped, and a pen of varying width follows the curve through the points. Then the picture is made
like MNIST's: fitted into 20 x 20 pixels with its proportions, with grey edges, and moved by whole pixels until its
centre of mass is in the middle of 28 x 28.

Every random number comes from the raw stream of a separate counter for each block of 256 pictures, and the pictures are
computed by plain arithmetic in a fixed order, without matrix products or transcendental functions. So the same
(version, seed, index, digit) gives the same bytes on any machine, however many other pictures are drawn.

Source: ours; the normalisation follows LeCun, Cortes, Burges, "The MNIST database of handwritten digits", 1998,
http://yann.lecun.com/exdb/mnist/.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes, Floats, Integers
from attnviz.data.skeletons import SKELETONS, smooth
from attnviz.errors import BadInput, UnknownName

VERSION = 1
"""Increased whenever the same seed gives different pictures."""

BLOCK = 256
COUNTS = {"train": 60_000, "test": 10_000}
SEEDS = {"train": 0, "test": 1}


# Pixels: the size of the picture, of the box into which the ink is fitted, and of the sheet, which leaves
# space around the box for the pen's edge.
SIZE, BOX, MARGIN = 28, 20, 5
SHEET = BOX + 2 * MARGIN
# The maximum distance of ink from the centre of a dab of the pen; dabs per digit; positions on the path between which
# the pen's width changes; and the maximum number of points of a skeleton (all are jittered, used or not).
REACH, DABS, KNOTS, POINTS = 4, 144, 7, 15


def load(split: str, count: int | None = None) -> tuple[Bytes, Integers]:
    """Draw the first `count` pictures of "train" (60,000) or "test" (10,000), whose seeds differ, with equal numbers of
    all digits in mixed order.

    Images are uint8 (count, 28, 28, 1), white ink on black; labels int64 (count,) in 0..9. Both are cached in memory
    and cannot be written to.
    """
    if split not in COUNTS:
        raise UnknownName("split of strokes", split, COUNTS)
    if count is not None and not 0 <= count <= COUNTS[split]:
        raise BadInput(f"strokes/{split} has {COUNTS[split]:,} pictures, so {count:,} cannot be loaded.")
    return _load(split, COUNTS[split] if count is None else count)


def draw(digits: Sequence[int] | npt.NDArray[Any], *, seed: int) -> Bytes:
    """Draw a picture for each of `digits`, 0..9: uint8 (count, 28, 28, 1), white ink on black; another seed, 0 or more,
    gives another handwriting.

    Picture i depends only on (VERSION, seed, i, digits[i]), not on the other pictures.
    """
    wanted = np.asarray(digits)
    if wanted.ndim != 1 or (wanted.size and (wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() > 9)):
        raise BadInput(f"The digits must be a list of whole numbers from 0 to 9, not {digits!r}.")
    if seed < 0:
        raise BadInput(f"The seed must be a whole number from 0 upwards, not {seed}.")
    images = np.zeros((len(wanted), SIZE, SIZE, 1), np.uint8)
    for start in range(0, len(wanted), BLOCK):
        block = wanted[start : start + BLOCK].astype(np.int64)
        images[start : start + BLOCK, :, :, 0] = _centre(
            _ink(*_strokes(block, _Chance(seed, start // BLOCK, slice(len(block)))))
        )
    return images


def pick(split: str, numbers: Integers) -> tuple[Bytes, Integers]:
    """Draw only some pictures of a split, as in `load`: a few take milliseconds, wherever they are in it."""
    digits = labels(split)[numbers]
    images = np.empty((len(numbers), SIZE, SIZE, 1), np.uint8)
    for start in range(0, len(numbers), BLOCK):
        few = slice(start, start + BLOCK)
        images[few, :, :, 0] = _pick(split, numbers[few], digits[few])
    return images, digits


def _pick(split: str, numbers: Integers, digits: Integers) -> Bytes:
    blocks, places = np.divmod(numbers, BLOCK)
    different = np.unique(blocks)
    which = [np.flatnonzero(blocks == block) for block in different]
    strokes = [
        _strokes(digits[its], _Chance(SEEDS[split], int(block), places[its]))
        for block, its in zip(different, which, strict=True)
    ]
    together = (np.concatenate(parts, 1) for parts in zip(*strokes, strict=True))  # drawing ink takes most of the time
    images = np.empty((len(numbers), SIZE, SIZE), np.uint8)
    images[np.concatenate(which)] = _centre(_ink(*together))
    return images


@lru_cache(maxsize=4)
def _load(split: str, count: int) -> tuple[Bytes, Integers]:
    digits = labels(split)[:count]
    images = draw(digits, seed=SEEDS[split])
    images.flags.writeable = False
    return images, digits


@lru_cache(maxsize=2)
def labels(split: str) -> Integers:
    """Return the digits of a split, int64 (count,) in 0..9, without drawing them; it cannot be written to."""
    chance = np.random.PCG64(np.random.SeedSequence([VERSION, SEEDS[split]])).random_raw(COUNTS[split])
    digits = (np.argsort(chance, kind="stable") % 10).astype(np.int64)
    digits.flags.writeable = False
    return digits


def centre_of_mass(ink: Bytes) -> tuple[Integers, Integers]:
    """Return the row and column, int64 (...), of the pixel nearest to the centre of mass of each picture, uint8 (...,
    row, column), with halves rounded up, as in MNIST and strokes; both are 0 without ink.
    """
    weights = ink.astype(np.int64)
    mass = np.maximum(weights.sum((-2, -1)), 1)
    row = (2 * (weights.sum(-1) @ np.arange(ink.shape[-2])) + mass) // (2 * mass)
    column = (2 * (weights.sum(-2) @ np.arange(ink.shape[-1])) + mass) // (2 * mass)
    return row, column


class _Chance:
    """The random numbers of a block, always drawn for all 256 pictures, so that no picture depends on the others."""

    def __init__(self, seed: int, block: int, places: slice | Integers) -> None:
        self._stream = np.random.PCG64(np.random.SeedSequence([VERSION, seed, block]))
        self._places = places

    def _raw(self, number: int) -> npt.NDArray[np.uint64]:
        drawn: npt.NDArray[np.uint64] = self._stream.random_raw(BLOCK * number).reshape(number, BLOCK)
        return drawn[:, self._places]

    def even(self, number: int) -> Floats:
        """Return (number, count), uniform over 0..1."""
        return (self._raw(number) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def bell(self, number: int) -> Floats:
        """Return (number, count), mean 0, deviation 1, at most 3.5: the sum of a raw number's four quarters."""
        raw = self._raw(number)
        quarters = [(raw >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48)]
        total = (quarters[0] + quarters[1] + quarters[2] + quarters[3]).astype(np.float64)
        bell: Floats = (total - 131_070.0) / 37_837.227  # the standard deviation of that sum
        return bell


class _Shapes(NamedTuple):
    """All skeletons as arrays, so that a block of any digits is drawn at once."""

    points: Floats  # (shape, point, 2)
    curves: Floats  # (shape, dab, point): each dab as a linear combination of the points
    first: Integers  # (digit,): its first shape
    shares: list[Floats]  # for each digit, the cumulative weights of its shapes, up to 1


def _strokes(digits: Integers, chance: _Chance) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the arguments of `_ink` for each digit."""
    x, y = _write(digits, chance)
    soft = 0.8 + 0.6 * chance.even(1)
    return *_fit(x, y, _pen(digits, chance), soft), soft


def _write(digits: Integers, chance: _Chance) -> tuple[Floats, Floats]:
    """Return the path of the pen: x and y (dab, count), y downwards."""
    shapes = _shapes()
    choice = chance.even(1)[0]
    shape = np.array(
        [shapes.first[d] + np.searchsorted(shapes.shares[d], c) for d, c in zip(digits, choice, strict=True)]
    )
    # Neighbours move partly together, since independent points would look like a trembling hand.
    wobble = 0.012 + 0.018 * chance.even(1)
    aside = chance.bell(2 * (POINTS + 2)).reshape(2, POINTS + 2, -1)
    aside = wobble * (aside[:, 2:] + 2 * aside[:, 1:-1] + aside[:, :-2])
    around = shapes.points[shape]  # (count, point, 2)
    point_x, point_y = around[:, :, 0].T + aside[0], around[:, :, 1].T + aside[1]
    curves = shapes.curves[shape].transpose(2, 1, 0)  # (point, dab, count)
    x, y = np.zeros_like(curves[0]), np.zeros_like(curves[0])
    for curve, its_x, its_y in zip(curves, point_x, point_y, strict=True):
        x += curve * its_x
        y += curve * its_y
    x -= 0.3
    y -= 0.5
    return _bend(x, y, digits, chance)


def _bend(x: Floats, y: Floats, digits: Integers, chance: _Chance) -> tuple[Floats, Floats]:
    """Warp softly, then stretch, slant and turn the whole digit."""
    warp = 0.15 * chance.bell(10)
    x, y = (
        x + warp[0] * y * y + warp[1] * x * y + warp[2] * x * x + 1.5 * warp[3] * y * y * y + warp[4] * x * x * y,
        y + warp[5] * y * y + warp[6] * x * y + warp[7] * x * x + warp[8] * y * y * y + warp[9] * x * y * y,
    )
    wide, slant, turn = chance.bell(3)
    x = x * np.maximum(_WIDTHS[digits] * (1 + 0.18 * wide), 0.4)
    x = x - (_SLANTS[digits] + 0.23 * slant) * y
    half = 0.06 * turn
    cosine, sine = (1 - half * half) / (1 + half * half), 2 * half / (1 + half * half)
    return cosine * x - sine * y, sine * x + cosine * y


def _pen(digits: Integers, chance: _Chance) -> Floats:
    """Return half the width of the stroke at each dab, (dab, count), in the units of the skeletons."""
    wide = chance.bell(1)
    waves = chance.bell(KNOTS)
    along = np.zeros((DABS, len(digits)))
    for hat, wave in zip(_hats(), waves, strict=True):
        along += hat[:, None] * wave
    radius: Floats = _PENS[digits] * (0.072 + 0.024 * wide + 0.007 * wide * wide) * (1 + 0.11 * along)
    return np.clip(radius, 0.026, 0.17)


def _fit(x: Floats, y: Floats, radius: Floats, soft: Floats) -> tuple[Floats, Floats, Floats]:
    """Fit the ink into the box in the middle of the sheet, filling its width or height; all in pixels."""
    left, right = (x - radius).min(0), (x + radius).max(0)
    top, bottom = (y - radius).min(0), (y + radius).max(0)
    # The grey edge reaches soft / 2 beyond the radius, on both sides.
    scale = (BOX - soft[0]) / np.maximum(right - left, bottom - top)
    middle = SHEET / 2 - 0.5
    radius = np.minimum(radius * scale, REACH - 1.1)
    return middle + scale * (x - (left + right) / 2), middle + scale * (y - (top + bottom) / 2), radius


def _ink(x: Floats, y: Floats, radius: Floats, soft: Floats) -> Bytes:
    """Draw dabs along the path: uint8 (count, SHEET, SHEET).

    The ink of a dab falls from full to none over `soft` pixels around its edge; where dabs overlap, the strongest
    counts. It uses squared distances, since a root for every pixel of every dab would double the time.
    """
    count = x.shape[1]
    outer = (radius + soft / 2) ** 2
    gain = 1 / (2 * radius * soft)
    near = np.arange(-REACH, REACH + 1)
    row, column = np.rint(y).astype(np.int64), np.rint(x).astype(np.int64)
    down = (((near[:, None] + (row - y)[:, None]) ** 2 - outer[:, None]) * -gain[:, None]).astype(np.float32)
    across = ((near[:, None] + (column - x)[:, None]) ** 2 * gain[:, None]).astype(np.float32)
    # The index of each dab's first pixel in the flat sheets, and the offsets of the others.
    corner = (np.arange(count) * SHEET + row - REACH) * SHEET + column - REACH
    patch = (near[:, None] + REACH) * SHEET + near + REACH
    sheets = np.zeros(count * SHEET * SHEET, np.float32)
    for dab in range(DABS):
        place = corner[dab][:, None, None] + patch
        ink = down[dab].T[:, :, None] - across[dab].T[:, None, :]
        sheets[place] = np.maximum(sheets[place], ink)
    drawn = sheets.reshape(count, SHEET, SHEET)
    inked: Bytes = np.rint(np.minimum(drawn, 1) * 255).astype(np.uint8)
    return inked


def _centre(sheets: Bytes) -> Bytes:
    """Cut 28 x 28 out of each sheet, by whole pixels, so that the centre of mass is nearest to pixel 14."""
    count = len(sheets)
    rows, columns = centre_of_mass(sheets)
    padded = np.zeros((count, SHEET + SIZE, SHEET + SIZE), np.uint8)
    padded[:, SIZE // 2 : -SIZE // 2, SIZE // 2 : -SIZE // 2] = sheets
    view = np.arange(SIZE)
    cut: Bytes = padded[
        np.arange(count)[:, None, None], (rows[:, None] + view)[:, :, None], (columns[:, None] + view)[:, None, :]
    ]
    return cut


_WIDTHS = np.array([1.36, 1.0, 1.16, 1.16, 1.18, 1.24, 1.12, 1.18, 1.22, 1.08])
"""The mean width of each digit, relative to its skeletons."""

_PENS = np.array([1.12, 1.06, 1.03, 0.98, 0.94, 0.95, 0.95, 0.98, 0.94, 0.90])
"""The thickness of each digit, relative to the average: larger writing is fitted with a finer pen."""

_SLANTS = np.array([0.21, 0.26, 0.17, 0.04, 0.21, 0.06, 0.07, 0.04, 0.10, 0.13])
"""The mean slant of each digit to the right, in widths per height."""


@lru_cache(maxsize=1)
def _hats() -> Floats:
    """Return (KNOTS, DABS): smooth bumps along the path that sum to one, to interpolate between KNOTS numbers."""
    at = np.linspace(0, KNOTS - 1, DABS)
    away = np.minimum(np.abs(at - np.arange(KNOTS)[:, None]), 1)
    hats: Floats = 1 - away * away * (3 - 2 * away)
    return hats


@lru_cache(maxsize=1)
def _shapes() -> _Shapes:
    everything = [shape for shapes in SKELETONS for shape in shapes]
    points = np.zeros((len(everything), POINTS, 2))
    curves = np.zeros((len(everything), DABS, POINTS))
    for number, shape in enumerate(everything):
        places, along = smooth(shape, DABS)
        points[number, : len(places)] = places
        curves[number, :, : len(places)] = along
    shares = [np.cumsum([s.weight for s in shapes]) / sum(s.weight for s in shapes) for shapes in SKELETONS]
    for share in shares:
        share[-1] = 1.0
    first = np.cumsum([0] + [len(shapes) for shapes in SKELETONS])[:-1]
    return _Shapes(points, curves, first, shares)

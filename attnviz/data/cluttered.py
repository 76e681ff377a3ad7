"""Cluttered digits: a digit somewhere on a larger canvas, among patches cut from other digits.

Source: "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu, Lee, 2018, section 3; its pictures come
from the generator of "Recurrent Spatial Transformer Networks", Sønderby et al., 2015, https://arxiv.org/abs/1509.05329,
for sequences of one digit. The `published` placement follows that generator:

1. A digit is drawn with replacement from the part of MNIST for the split.
2. Its left edge is uniform, except for the last position. Its top edge is uniform over the whole canvas and moved up if
the digit would leave it, so that on a canvas of 40 pixels 70 % of the digits touch the bottom row.
3. Patches are cut from random digits at random positions, including blank ones, and pasted over each other, but never
over the last row and column.
4. The digit is added, and the sum is clipped, so patches may overlap the digit.

Differs: the patches of each split are cut from digits of that split, on request; there, one pool of 100,000 patches of
training and validation digits serves all splits. The `uniform` placement puts the digit at any position with equal
probability.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes, Integers
from attnviz.data import loading, strokes
from attnviz.errors import BadInput, UnknownName

VERSION = 1
"""Increased whenever the same seed gives different pictures."""

Placement = Literal["published", "uniform"]
Part = tuple[str, int, int]
"""A split of the source, and a range of its pictures: the first, and one after the last."""

SOURCES = 256
"""The number of drawn digits from which the clutter around a single picture is cut."""

COUNTS: Mapping[str, int] = MappingProxyType({"train": 10_000, "validation": 1_000, "test": 10_000})
_SEEDS = {"train": 0, "validation": 1, "test": 2}
_MNIST: Mapping[str, Part] = MappingProxyType(
    {"train": ("train", 0, 50_000), "validation": ("train", 50_000, 60_000), "test": ("test", 0, 10_000)}
)
# Strokes take time to draw, and none repeats a picture, so fewer suffice.
_STROKES: Mapping[str, Part] = MappingProxyType(
    {"train": ("train", 0, 10_000), "validation": ("train", 10_000, 11_000), "test": ("test", 0, 10_000)}
)


class Cluttered(NamedTuple):
    """Cluttered pictures.

    Args:
        images: uint8 (count, row, column, 1).
        labels: int64 (count,), the classes of the digits.
        corners: int64 (count, 2), the (row, column) on the canvas of the top left pixel of the digit's own picture.
        digits: int64 (count,), the indices of the digits among those offered.
    """

    images: Bytes
    labels: Integers
    corners: Integers
    digits: Integers


@dataclass(frozen=True)
class Clutter:
    """The parameters of a cluttered data set.

    Args:
        source: the data set of the digits and patches.
        canvas: rows and columns of a picture.
        patches: the number of pasted patches.
        patch: rows and columns of a patch.
        placement: the positions of digits: "published" or "uniform".
        centred: whether to move each finished picture so that the digit is in the middle. The canvas grows by the
            digits' maximum distance from the middle, so that nothing is lost.
    """

    source: str = "mnist"
    canvas: int = 40
    patches: int = 5
    patch: int = 5
    placement: Placement = "published"
    centred: bool = False

    @property
    def side(self) -> int:
        """Rows and columns of a picture of 28-pixel digits."""
        return self.canvas + (self.canvas - 28 if self.centred else 0)

    def load(self, split: str, count: int | None = None) -> tuple[Bytes, Integers]:
        """Return images and labels of the first `count` pictures of a split, or of all."""
        made = self.made(split)
        return made.images[:count], made.labels[:count]

    def made(self, split: str) -> Cluttered:
        """Return a whole split with its corners. It is cached in memory, and cannot be written to."""
        self.part(split)
        return _made(self, split)

    def pick(self, split: str, numbers: Integers) -> tuple[Bytes, Integers]:
        """Return images and labels of some pictures of a split; only the drawn digits on them are drawn."""
        return _picked(self, split, numbers)

    def labels(self, split: str) -> Integers:
        """Return the labels of a split, int64 (count,), without making its pictures."""
        its, first, last = self.part(split)
        found: Integers = loading.labels(self.source, its)[first:last][_digits(split, last - first)]
        return found

    def part(self, split: str) -> Part:
        """Return the pictures of the source from which a split is made."""
        if split not in COUNTS:
            raise UnknownName(f"split of cluttered {self.source}", split, COUNTS)
        return (_STROKES if self.source == "strokes" else _MNIST)[split]


CLUTTERED: dict[str, Clutter] = {
    "cluttered_mnist": Clutter(),
    "cluttered_strokes": Clutter("strokes"),
    "cluttered_mnist_centred": Clutter(centred=True),
    "cluttered_strokes_centred": Clutter("strokes", centred=True),
    "cluttered_mnist_60": Clutter(canvas=60, patches=4, patch=8, placement="uniform"),
    "cluttered_strokes_60": Clutter("strokes", canvas=60, patches=4, patch=8, placement="uniform"),
}
"""The data sets of this kind. Those of 60 x 60 are as in "Recurrent Models of Visual Attention", Mnih et al., 2014:
four patches of 8 x 8, digits at any position."""


def scatter(
    pictures: Bytes,
    digits: Integers,
    sources: Bytes,
    how: Clutter,
    *,
    seed: int,
    split: str = "train",
    places: Integers | None = None,
) -> tuple[Bytes, Integers]:
    """Place digits on canvases full of clutter.

    Args:
        pictures: uint8 (picture, row, column, 1), the digits to choose from.
        digits: int64 (count,), the index of the picture on each canvas.
        sources: uint8 (picture, row, column, 1), the pictures from which patches are cut.
        how: the canvas, patches and placement; its source is ignored.
        seed, split: they determine the random numbers. Canvas i depends only on them, i and digits[i].
        places: int64 (count,), the indices of these canvases; None for the first ones.

    Returns:
        images uint8 (count, how.side, how.side, 1), and corners int64 (count, 2) as in `Cluttered`.

    Raises:
        BadInput: digits or patches do not fit on the canvas, or patches are larger than a picture.
    """
    count, size, canvas = len(digits), pictures.shape[1], how.canvas
    if pictures.shape[1:] != (size, size, 1) or size >= canvas or not 0 < how.patch < min(canvas, sources.shape[1]):
        raise BadInput(
            f"Cluttered digits need square grey digits and patches smaller than the canvas; pictures of "
            f"{pictures.shape[1:]} and patches of {how.patch} do not fit on a canvas of {canvas} x {canvas}."
        )
    chance = _scattered(seed, split, how, np.arange(count) if places is None else places)
    margin = canvas - size
    if how.placement == "published":
        corners = np.stack([np.minimum(_below(chance[:, 0], canvas), margin), _below(chance[:, 1], margin)], axis=1)
    else:
        corners = _below(chance[:, :2], margin + 1)
    images = np.zeros((count, canvas, canvas), np.uint8)
    every, along, span = np.arange(count)[:, None, None], np.arange(how.patch), np.arange(size)
    for number in range(how.patches):
        which, *cut = chance[:, 2 + 5 * number : 5 + 5 * number].T
        from_row, from_column = (_below(part, sources.shape[1] - how.patch)[:, None] + along for part in cut)
        onto = chance[:, 5 + 5 * number : 7 + 5 * number].T
        to_row, to_column = (_below(part, canvas - how.patch)[:, None] + along for part in onto)
        cuts = sources[_below(which, len(sources))[:, None, None], from_row[:, :, None], from_column[:, None, :], 0]
        images[every, to_row[:, :, None], to_column[:, None, :]] = cuts
    at = every, (corners[:, :1] + span)[:, :, None], (corners[:, 1:] + span)[:, None, :]
    images[at] = np.minimum(images[at].astype(np.uint16) + pictures[digits, :, :, 0], 255).astype(np.uint8)
    if how.centred:
        wide = np.zeros((count, canvas + margin, canvas + margin), np.uint8)
        span = np.arange(canvas)
        moved = margin - corners
        wide[every, (moved[:, :1] + span)[:, :, None], (moved[:, 1:] + span)[:, None, :]] = images
        images, corners = wide, np.full_like(corners, margin)
    return images[..., None], corners


def thrown(picture: Bytes, how: Clutter, *, seed: int) -> Bytes:
    """Place a square picture, uint8 (row, column), 0 is paper, on a canvas full of clutter cut from drawn digits, which
    are always available: uint8 (how.side, how.side, 1).

    The seed determines the picture's position and all patches: the canvas is the same on any machine. BadInput: the
    picture is not square, or does not fit on the canvas.
    """
    sources = strokes.load("test", SOURCES)[0]
    images, _ = scatter(picture[None, :, :, None], np.zeros(1, np.int64), sources, how, seed=seed, split="test")
    canvas: Bytes = images[0]
    return canvas


def corners(name: str, split: str) -> Integers:
    """Return the positions of a cluttered data set's digits: int64 (count, 2), see `Cluttered`."""
    if name not in CLUTTERED:
        raise UnknownName("cluttered data set", name, CLUTTERED)
    return CLUTTERED[name].made(split).corners


@lru_cache(maxsize=4)
def _made(how: Clutter, split: str) -> Cluttered:
    its, first, last = how.part(split)
    pictures, labels = loading.load(how.source, its, count=last)
    pictures, labels = pictures[first:], labels[first:]
    digits = _digits(split, len(labels))
    images, corners = scatter(pictures, digits, pictures, how, seed=0, split=split)
    made = Cluttered(images, labels[digits], corners, digits)
    for array in made:
        array.flags.writeable = False
    return made


def _picked(how: Clutter, split: str, numbers: Integers) -> tuple[Bytes, Integers]:
    its, first, last = how.part(split)
    digits = _digits(split, last - first)[numbers]
    if how.source == "strokes":
        cut = _below(_scattered(0, split, how, numbers)[:, 2::5], last - first)
        wanted = np.unique(np.concatenate([digits, cut.ravel()]))
        # Memory that is never written to is not allocated.
        pictures = np.zeros((last - first, strokes.SIZE, strokes.SIZE, 1), np.uint8)
        pictures[wanted] = strokes.pick(its, first + wanted)[0]
    else:
        pictures = loading.load(how.source, its, count=last).images[first:]
    images = scatter(pictures, digits, pictures, how, seed=0, split=split, places=numbers)[0]
    return images, how.labels(split)[numbers]


def _digits(split: str, offered: int) -> Integers:
    """Return the index, among the digits offered, of the digit on each canvas of a split."""
    return _below(_chance(0, split, 0, COUNTS[split], 1)[:, 0], offered)


def _scattered(seed: int, split: str, how: Clutter, places: Integers) -> npt.NDArray[np.uint64]:
    """Return the random numbers of canvases: those of the digit's corner, then five per patch, its source first."""
    return _chance(seed, split, 1, int(places.max(initial=-1)) + 1, 2 + 5 * how.patches)[places]


def _chance(seed: int, split: str, use: int, count: int, number: int) -> npt.NDArray[np.uint64]:
    """Return 32-bit random numbers, (count, number), from the raw stream, which is the same in all NumPy versions."""
    stream = np.random.PCG64(np.random.SeedSequence([VERSION, seed, _SEEDS[split], use]))
    raw: npt.NDArray[np.uint64] = stream.random_raw(count * number).reshape(count, number) >> np.uint64(32)
    return raw


def _below(raw: npt.NDArray[np.uint64], limit: int) -> Integers:
    """Convert raw random numbers to uniform integers from 0 to limit - 1."""
    return ((raw * np.uint64(limit)) >> np.uint64(32)).astype(np.int64)

"""Digits that are rotated by known angles, or rotated, scaled and shifted on a larger canvas by known amounts.

Source: the tasks R and RTS of "Spatial Transformer Networks", Jaderberg, Simonyan, Zisserman, Kavukcuoglu, 2015,
https://arxiv.org/abs/1506.02025, section 4.1: MNIST rotated by up to 90 degrees; and rotated by up to 45 degrees,
scaled by 0.7 to 1.2 and placed at random on 42 x 42 pixels.

Differs: there every picture is transformed anew each time it is used; here each of 50,000 training digits is
transformed three times, by amounts that can be looked up. Rotated digits have 32 x 32 pixels rather than 28 x 28, so
that no corner is lost. Bilinear sampling uses integer arithmetic, so that the same seed gives the same bytes on any
machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attnviz.arrays import Bytes, Floats, Integers
from attnviz.data import loading
from attnviz.errors import BadInput, UnknownName

VERSION = 1
"""Increased whenever the same seed gives different pictures."""


COUNTS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "mnist": {"train": 150_000, "validation": 10_000, "test": 10_000},
        "strokes": {"train": 10_000, "validation": 1_000, "test": 10_000},  # drawing takes time
    }
)
_PARTS: Mapping[str, Mapping[str, tuple[str, int, int]]] = MappingProxyType(
    {
        "mnist": {"train": ("train", 0, 50_000), "validation": ("train", 50_000, 60_000), "test": ("test", 0, 10_000)},
        "strokes": {
            "train": ("train", 0, 10_000), "validation": ("train", 10_000, 11_000), "test": ("test", 0, 10_000),
        },
    }
)  # fmt: skip
_SEEDS = {"train": 0, "validation": 1, "test": 2}
_AT_ONCE = 1_000  # pictures, to limit the memory for sampled positions
_FINE, _ONE = 256, 1 << 16  # fractions of a pixel and of a factor, the units of positions


class Moves(NamedTuple):
    """The transforms of pictures: the scale (1 keeps the size) and the rotation about the middle, in degrees
    counter-clockwise as seen, both float64 (count,), then the shift in pixels to the right and down, (count, 2).
    """

    angles: Floats
    scales: Floats
    shifts: Floats


@dataclass(frozen=True)
class Moved:
    """The parameters of a data set of moved digits.

    Args:
        source: "mnist" or "strokes".
        canvas: rows and columns of a picture.
        rotation: the maximum rotation in degrees, to either side.
        scale: the lowest and the highest scale factor.
        shift: the maximum shift in pixels, to either side in each direction.
    """

    source: str = "mnist"
    canvas: int = 42
    rotation: float = 45.0
    scale: tuple[float, float] = (0.7, 1.2)
    shift: float = 7.0

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of pictures in each split."""
        return COUNTS[self.source]

    def load(self, split: str, count: int | None = None) -> tuple[Bytes, Integers]:
        """Return images and labels of the first `count` pictures of a split, or of all."""
        self._part(split)
        return _loaded(self, split, self.counts[split] if count is None else count)

    def pick(self, split: str, numbers: Integers) -> tuple[Bytes, Integers]:
        """Return images and labels of some pictures of a split; only these digits are drawn."""
        its, first, last = self._part(split)
        images, labels = loading.pick(self.source, its, first + numbers % (last - first))
        return moved(images, self.canvas, self.moves(split, numbers)), labels

    def labels(self, split: str) -> Integers:
        """Return the labels of a split, int64 (count,), without making its pictures."""
        its, first, last = self._part(split)
        found: Integers = loading.labels(self.source, its)[first:last][np.arange(self.counts[split]) % (last - first)]
        return found

    def moves(self, split: str, numbers: Integers | None = None) -> Moves:
        """Return the transforms of the pictures of a split, or of some of them."""
        self._part(split)
        chance = _chance(split, self.counts[split])
        drawn = chance if numbers is None else chance[numbers]
        low, high = self.scale
        return Moves(
            (2 * drawn[:, 0] - 1) * self.rotation,
            low + (high - low) * drawn[:, 1],
            (2 * drawn[:, 2:] - 1) * self.shift,
        )

    def _part(self, split: str) -> tuple[str, int, int]:
        if split not in self.counts:
            raise UnknownName(f"split of moved {self.source}", split, self.counts)
        return _PARTS[self.source][split]


_ROTATED = {"canvas": 32, "rotation": 90.0, "scale": (1.0, 1.0), "shift": 0.0}
MOVED: dict[str, Moved] = {
    "rotated_mnist": Moved(**_ROTATED),  # type: ignore[arg-type]
    "rotated_strokes": Moved("strokes", **_ROTATED),  # type: ignore[arg-type]
    "moved_mnist": Moved(),
    "moved_strokes": Moved("strokes"),
}
"""The data sets of this kind."""


def moved(pictures: Bytes, canvas: int, moves: Moves) -> Bytes:
    """Scale, rotate and shift square pictures, uint8 (count, row, column, channel), 0 is background, starting in the
    middle of empty canvases: uint8 (count, canvas, canvas, channel), sampled bilinearly.

    BadInput: pictures are not square, the number of moves is different, or a move exceeds 64 pixels.
    """
    count, size = pictures.shape[:2]
    if pictures.ndim != 4 or pictures.shape[2] != size or any(len(one) != count for one in moves):
        raise BadInput(
            f"As many moves as square pictures are needed, not {len(moves.angles)} for pictures of shape "
            f"{pictures.shape}."
        )
    if max(size, canvas) > 64 or not (np.abs(moves.shifts) <= 64).all() or not (moves.scales >= 0.5).all():
        raise BadInput(
            "Pictures and canvases of at most 64 x 64 pixels are moved by at most 64 pixels and scaled by at least 0.5."
        )
    made = np.empty((count, canvas, canvas, pictures.shape[3]), np.uint8)
    for start in range(0, count, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        made[part] = _sampled(pictures[part], canvas, Moves(*(one[part] for one in moves)))
    return made


def _sampled(pictures: Bytes, canvas: int, moves: Moves) -> Bytes:
    size = pictures.shape[1]
    radians = np.deg2rad(moves.angles)
    # To turn a digit counter-clockwise, it is sampled clockwise; rows count downwards.
    cosine, sine = (np.rint(part / moves.scales * _ONE).astype(np.int64)[:, None, None] for part in _turn(radians))
    shift = np.rint(moves.shifts * _FINE).astype(np.int64)[:, :, None, None]
    place = (2 * np.arange(canvas, dtype=np.int64) - (canvas - 1)) * (_FINE // 2)  # from the middle
    across, down = place[None, None, :] - shift[:, 0], place[None, :, None] - shift[:, 1]
    middle = (size - 1) * _FINE * _ONE // 2
    columns = middle + cosine * across - sine * down
    rows = middle + sine * across + cosine * down
    padded = np.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)))
    which = np.arange(len(pictures))[:, None, None]
    (row, below), (column, right) = (_split(along, size) for along in (rows, columns))
    total = np.zeros((len(pictures), canvas, canvas, pictures.shape[3]), np.int64)
    for further, down_weight in ((0, _FINE - below), (1, below)):
        for beside, across_weight in ((0, _FINE - right), (1, right)):
            total += (down_weight * across_weight)[..., None] * padded[which, row + further, column + beside]
    half = _FINE * _FINE // 2
    return ((total + half) // (_FINE * _FINE)).astype(np.uint8)


def _turn(radians: Floats) -> tuple[Floats, Floats]:
    return np.cos(radians), np.sin(radians)


def _split(along: Integers, size: int) -> tuple[Integers, Integers]:
    """Return the index in a picture padded with two background pixels, and the remainder in 256ths of a pixel."""
    whole, rest = along // (_FINE * _ONE), along // _ONE % _FINE
    return np.clip(whole, -2, size) + 2, rest


@lru_cache(maxsize=2)
def _loaded(how: Moved, split: str, count: int) -> tuple[Bytes, Integers]:
    its, first, last = how._part(split)
    offered = loading.load(how.source, its, count=min(last, first + count))
    numbers = np.arange(count)
    sources = first + numbers % (last - first)
    images = np.empty((count, how.canvas, how.canvas, 1), np.uint8)
    moves = how.moves(split, numbers)
    for start in range(0, count, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        images[part] = moved(offered.images[sources[part]], how.canvas, Moves(*(one[part] for one in moves)))
    labels = offered.labels[sources]
    images.flags.writeable = labels.flags.writeable = False
    return images, labels


@lru_cache(maxsize=4)
def _chance(split: str, count: int) -> Floats:
    """Return numbers in 0..1, (count, 4), from the raw stream, which is the same in all NumPy versions."""
    stream = np.random.PCG64(np.random.SeedSequence([VERSION, _SEEDS[split]]))
    drawn: Floats = (stream.random_raw(count * 4).reshape(count, 4) >> np.uint64(32)) / 2**32
    return drawn

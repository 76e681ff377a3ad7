"""Strips: 1 to 30 digits side by side, for reading, reading backwards, or sorting.

A strip of n digits has 28 rows and 28 n columns. Each digit is moved sideways by -3 to 3 pixels, so neighbours may
touch; where they overlap, the brighter pixel counts. The digits of a strip and their shifts depend only on the data
set's part, a seed, the length and the index, so strips are made on request.

Source: ours; the task is like reading and translating a sentence, in "Neural Machine Translation by Jointly Learning to
Align and Translate", Bahdanau, Cho, Bengio, 2015, https://arxiv.org/abs/1409.0473.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes, Integers
from attnviz.data import loading
from attnviz.errors import BadInput, UnknownName

VERSION = 1
"""Increased whenever the same seed gives different strips."""

SIDE, MOST, SHIFT = 28, 30, 3  # pixels of a digit, digits of the longest strip, maximum shift of a digit in pixels
STOP = 10  # the symbol that ends a text; 0 to 9 are the digits
SYMBOLS = (*"0123456789", "stop")
TESTED = (1, 2, 3, 5, 8, 10, 12, 15, 16, 17, 18, 20, 25, 30)
"""The lengths of the test strips, as far as a data set has them."""
PER_LENGTH = 1024  # test strips of each length
PARTS: Mapping[str, Mapping[str, tuple[str, int, int]]] = MappingProxyType(
    {
        "mnist": {"train": ("train", 0, 50_000), "validation": ("train", 50_000, 60_000), "test": ("test", 0, 10_000)},
        "strokes": {
            "train": ("train", 0, 10_000), "validation": ("train", 10_000, 11_000), "test": ("test", 0, 10_000),
        },
    }
)  # fmt: skip
"""The digits of the source for each part: a split, the first digit, and the one after the last."""

_SEEDS = {"train": 0, "validation": 1, "test": 2}

Order = Literal["string", "reversed", "sorted"]


@dataclass(frozen=True)
class Strips:
    """Strips of digits from one source, and the texts that a model should output for them.

    Args:
        source: "mnist" or "strokes".
        longest: the number of digits of the longest strip; test strips have the lengths of `TESTED` up to this.
        order: the digits from left to right ("string"), from right to left ("reversed"), or by size ("sorted").
    """

    source: str = "mnist"
    longest: int = 15
    order: Order = "string"

    @property
    def tested(self) -> tuple[int, ...]:
        """The lengths of the test strips."""
        return tuple(length for length in TESTED if length <= self.longest)

    @property
    def counts(self) -> dict[str, int]:
        """The number of strips in each split; for "train", in an epoch."""
        return {"train": 8_000, "validation": 512, "test": PER_LENGTH * len(self.tested)}

    def batches(self, split: str, size: int, seed: int) -> Iterator[tuple[Bytes, Integers]]:
        """Yield the batches of an epoch; all strips of a batch have the same length.

        Args:
            size: the number of strips in a batch. In "test" it must divide the 1,024 strips of each length, which come
                length by length; otherwise every batch has its own length, drawn uniformly from 1 to `longest`.

        Yields:
            images uint8 (size, 28, 28 x digits, 1); targets int64 (size, digits + 1), which end with `STOP`.
        """
        part_of(self.source, split)
        if split == "test" and PER_LENGTH % size:
            raise BadInput(f"Batches of test strips must divide {PER_LENGTH:,}: use a power of 2, not {size}.")
        lengths = np.random.default_rng((VERSION, _SEEDS[split], seed))
        for first in range(0, self.counts[split], size):
            count = min(size, self.counts[split] - first)
            length = self.tested[first // PER_LENGTH] if split == "test" else int(lengths.integers(1, self.longest + 1))
            place = first % PER_LENGTH if split == "test" else first
            digits, shifts = drawn(self.source, split, seed=seed, length=length, first=place, count=count)
            images, labels = _digits(self.source, split, digits.ravel(), whole=True)
            yield strips(images.reshape(count, length, SIDE, SIDE), shifts), self.targets(labels.reshape(digits.shape))

    def targets(self, digits: Integers) -> Integers:
        """Return the texts that a model should output, int64 (count, digits + 1), ending with `STOP`, from the digits
        of strips, int64 (count, digits) in 0..9, left to right.
        """
        ordered = {"string": digits, "reversed": digits[:, ::-1], "sorted": np.sort(digits, axis=1)}[self.order]
        return np.concatenate([ordered, np.full((len(digits), 1), STOP)], 1).astype(np.int64)


STRIPS: dict[str, Strips] = {
    "strips_mnist_15": Strips(),
    "strips_mnist_30": Strips(longest=30),
    "strips_mnist_15_reversed": Strips(order="reversed"),
    "strips_mnist_15_sorted": Strips(order="sorted"),
    "strips_strokes_15": Strips("strokes"),
}
"""The data sets of this kind."""


def strip(source: str, length: int, place: int) -> tuple[Bytes, str]:
    """Return a test strip of `strokes` or `mnist`, uint8 (28, 28 x length, 1), and its digits from left to right, such
    as "314"; only these are loaded or drawn.

    The length is 1 to 30; `place` is the index among the test strips of that length, 0 to 1,023.
    """
    check(length, place)
    digits, shifts = drawn(source, "test", seed=0, length=length, first=place, count=1)
    images, labels = _digits(source, "test", digits[0], whole=False)
    return strips(images[None], shifts)[0], "".join(map(str, labels))


def check(length: int, place: int) -> None:
    """Check that a test strip exists."""
    if not 1 <= length <= MOST or not 0 <= place < PER_LENGTH:
        raise BadInput(
            f"Test strips have 1 to {MOST} digits and the numbers 0 to {PER_LENGTH - 1:,}, not {length} and {place}."
        )


def drawn(
    source: str, split: str, *, seed: int, length: int, first: int, count: int
) -> tuple[Integers, npt.NDArray[np.int8]]:
    """Return the digits of some strips, int64 (count, length) indices into the source's split, and the shift of each to
    the right, int8 (count, length), -3..3 pixels.
    """
    _, start, end = part_of(source, split)
    stream = np.random.PCG64(np.random.SeedSequence([VERSION, _SEEDS[split], seed, length]))
    stream.advance(first * length * 2)
    chance = (stream.random_raw(count * length * 2).reshape(count, length, 2) >> np.uint64(32)) / 2**32
    shifts = (chance[..., 1] * (2 * SHIFT + 1)).astype(np.int8) - np.int8(SHIFT)
    return start + (chance[..., 0] * (end - start)).astype(np.int64), shifts


def strips(digits: Bytes, shifts: npt.NDArray[np.int8] | Sequence[Sequence[int]]) -> Bytes:
    """Join digits, uint8 (count, digits, 28, 28), side by side into uint8 (count, 28, 28 x digits, 1), each shifted to
    the right by -3..3 pixels; pixels outside the strip are cut off.
    """
    moved = np.asarray(shifts)
    count, length = digits.shape[:2]
    if np.abs(moved).max(initial=0) > SHIFT:
        raise BadInput(f"Digits of a strip are moved by at most {SHIFT} pixels, not by {int(np.abs(moved).max())}.")
    made = np.zeros((count, SIDE, SIDE * length + 2 * SHIFT), np.uint8)
    for place in range(length):
        for shift in range(-SHIFT, SHIFT + 1):
            which = moved[:, place] == shift
            if which.any():
                begin = SIDE * place + SHIFT + shift
                here = made[which, :, begin : begin + SIDE]
                made[which, :, begin : begin + SIDE] = np.maximum(here, digits[which, place])
    return made[:, :, SHIFT:-SHIFT, None]


def part_of(source: str, split: str) -> tuple[str, int, int]:
    """Return the digits of a source for a part: a split, the first digit, and the one after the last."""
    if source not in PARTS:
        raise UnknownName("source of strips", source, PARTS)
    if split not in PARTS[source]:
        raise UnknownName("split of strips", split, PARTS[source])
    return PARTS[source][split]


def _digits(source: str, split: str, numbers: Integers, *, whole: bool) -> tuple[Bytes, Integers]:
    """Return images, uint8 (count, 28, 28), and labels of digits; for many digits, load the whole part (`whole`)."""
    its, _, end = part_of(source, split)
    if not whole:
        images, labels = loading.pick(source, its, numbers)
        return images[..., 0], labels
    images, labels = loading.load(source, its, count=end)
    return images[numbers][..., 0], labels[numbers]

"""Drawn digits somewhere on a large canvas, and how a drawing is put onto one."""

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes
from attnviz.data import strokes
from attnviz.data.inputs.prepared import Prepared, mnist_style
from attnviz.data.specs import DataSpec

SIDE, DIGIT = 60, 28


def make(split: str, count: int | None = None) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return images, uint8 (count, 60, 60, 1), and labels, int64 (count,), of a split or of its beginning."""
    count = SPEC.counts[split] if count is None else count
    ink, labels = strokes.load(split, count)
    corners = np.random.default_rng(SPEC.counts[split]).integers(0, SIDE - DIGIT + 1, (SPEC.counts[split], 2))
    pictures = np.zeros((count, SIDE, SIDE, 1), np.uint8)
    for picture, digit, (top, left) in zip(pictures, ink, corners, strict=False):
        picture[top : top + DIGIT, left : left + DIGIT] = digit
    return pictures, labels


def prepare(canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
    """Put a drawing, made as MNIST made its digits, into the upper left corner of the canvas."""
    digit = mnist_style(canvas, rows=DIGIT, columns=DIGIT, channels=channels, centred=centred)
    picture = np.zeros((rows, columns, channels), np.uint8)
    picture[:DIGIT, :DIGIT] = digit.picture
    return Prepared(picture, f"{digit.words} It lies in the upper left corner.", digit.details)


SPEC = DataSpec(
    name="strayed_digits",
    title="Strayed digits",
    about="Digits drawn by attnviz, somewhere on 60 x 60 pixels.",
    shape=(SIDE, SIDE, 1),
    classes=tuple("0123456789"),
    counts={"train": 300, "test": 80},
    megabytes=0,
    source="chance_looks/strayed_digits.py",
    make=make,
    ink=True,
)

"""The built-in digits that a visitor can draw on, and that the panels show before the first pen stroke."""

import numpy as np
import numpy.typing as npt

from attnviz import data
from attnviz.ui.components.drawing_pad import Base

DATA = "strokes"
FEW = 64  # pictures at the beginning of its test split, among which there is one of each digit


def of_each_digit() -> list[Base]:
    """Return the first test picture of each digit, from 0 to 9."""
    images, labels = data.load(DATA, "test", count=FEW)
    first = [int((labels == digit).nonzero()[0][0]) for digit in range(10)]
    return [Base(f"{DATA}.{number}", images[number, :, :, 0], str(labels[number])) for number in first]


def on_panels() -> npt.NDArray[np.uint8]:
    """Return the digit that panels show before the first pen stroke: uint8 (28, 28)."""
    return of_each_digit()[8].picture

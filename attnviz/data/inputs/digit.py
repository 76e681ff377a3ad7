"""What MNIST would have made of a drawing: the picture that the models see, and the steps that lead to it.

    seen = prepare(canvas)                # canvas: uint8 (280, 280), 0 is paper, 255 is ink
    seen.picture, seen.words              # uint8 (28, 28); "Cut out 93 × 140 pixels, ..."

The ink is cut out, scaled to 20 pixels along its longer side with its proportions kept and with grey edges, and moved
by whole pixels until its centre of mass lies on pixel 14 of 28 x 28. A picture that was already made so, each pixel of
it enlarged alike, comes back as it was.

Source: LeCun, Cortes, Burges, "The MNIST database of handwritten digits", 1998, http://yann.lecun.com/exdb/mnist/. That
the pixel is 14 and the move a whole number was read off MNIST itself: the centres of mass of all its test pictures lie
between 13.5 and 14.5. `attnviz.data.strokes` keeps the same rule.

Differs: MNIST began with black and white; here grey ink stays grey.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes, Floats
from attnviz.data.strokes import centre_of_mass
from attnviz.errors import BadInput

SIZE = 28
"""Pixels along each side of a picture as the nets see it."""

BOX = 20
"""Pixels along the longer side of the ink, once it is scaled."""

CANVAS = 280
"""Pixels along each side of the canvas that is drawn on."""

FAINT = 8
"""Ink below this, of 255, is taken for paper where the edge of the ink is sought."""


@dataclass(frozen=True)
class Prepared:
    """A picture as the nets see it, and how it was made from the canvas.

    `picture`: uint8 (28, 28), 0 is paper and 255 is ink. `empty`: there was no ink to be seen; then all of the picture
    is paper. `box`: what was cut out of the canvas, (top, left, bottom, right) in its pixels, bottom and right not
    included. `scale`: pixels of the picture for one of the canvas. `fitted`: rows and columns of the picture that the
    box was scaled to. `shift`: (rows, columns) of the picture by which it was then moved from the middle, down and to
    the right. `centred`: whether the ink was cut out at all, or the whole canvas scaled.
    """

    picture: Bytes
    empty: bool
    box: tuple[int, int, int, int]
    scale: float
    fitted: tuple[int, int]
    shift: tuple[int, int]
    centred: bool

    @property
    def words(self) -> str:
        """What was done, as one sentence."""
        if self.empty:
            return "Nothing is drawn."
        if not self.centred:
            return f"The whole canvas was scaled to {SIZE} × {SIZE} pixels, without cutting out or centring."
        top, left, bottom, right = self.box
        down, across = self.shift
        moves = [f"{abs(down)} {'down' if down > 0 else 'up'}"] if down else []
        moves += [f"{abs(across)} {'right' if across > 0 else 'left'}"] if across else []
        moved = f"moved {' and '.join(moves)} so that" if moves else "not moved, as"
        return (
            f"Cut out {right - left} × {bottom - top} pixels, scaled to {self.fitted[1]} × {self.fitted[0]}, "
            f"{moved} its centre of mass lies in the middle of {SIZE} × {SIZE}."
        )


def prepare(canvas: Bytes, *, centred: bool = True) -> Prepared:
    """Turn a drawing, uint8 (row, column), square and at least 28 x 28, 0 is paper, into the picture that the models
    see, and the steps.

    `centred` cuts out, scales and centres the ink as MNIST did; without it the whole canvas is averaged down. Of a
    canvas without ink the picture is all paper, and says so.
    """
    if canvas.dtype != np.uint8 or canvas.ndim != 2 or canvas.shape[0] != canvas.shape[1] or len(canvas) < SIZE:
        raise BadInput(
            f"A drawing is a square of bytes, at least {SIZE} x {SIZE}; "
            f"this is {canvas.dtype} of shape {tuple(canvas.shape)}."
        )
    inked = canvas >= FAINT
    rows, columns = np.flatnonzero(inked.any(1)), np.flatnonzero(inked.any(0))
    side = len(canvas)
    if not len(rows) or not centred:
        whole = averaged(canvas, (0, 0), side / SIZE, (SIZE, SIZE)) if len(rows) else _paper()
        box = (0, 0, side, side)
        return Prepared(whole, not whole.any(), box, SIZE / side, (SIZE, SIZE), (0, 0), centred)
    return _fitted(canvas, (int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1))


def _fitted(canvas: Bytes, box: tuple[int, int, int, int]) -> Prepared:
    top, left, bottom, right = box
    high, wide = bottom - top, right - left
    longer = max(high, wide)
    fitted = (-(-high * BOX // longer), -(-wide * BOX // longer))
    # Pixels begin where the ink begins: an enlarged picture falls on its own pixels again, and another width of the
    # ink moves none of them by half. One more on every side, as ink too faint to be its edge comes along beside it.
    pixel = longer / BOX
    ink = averaged(canvas, (top - pixel, left - pixel), pixel, (fitted[0] + 2, fitted[1] + 2))
    row, column = map(int, centre_of_mass(ink))
    picture = _paper()
    start = (SIZE // 2 - row, SIZE // 2 - column)
    _paste(picture, ink, start)
    middle = ((SIZE - ink.shape[0]) // 2, (SIZE - ink.shape[1]) // 2)
    shift = (start[0] - middle[0], start[1] - middle[1])
    return Prepared(picture, not picture.any(), box, BOX / longer, fitted, shift, True)


def _paper() -> Bytes:
    return np.zeros((SIZE, SIZE), np.uint8)


def averaged(
    canvas: Bytes, start: tuple[float, float], pixel: float | tuple[float, float], shape: tuple[int, int]
) -> Bytes:
    """Average squares of the canvas down to a pixel each, uint8; every canvas pixel counts by the part of it that is
    covered, and beyond its edges there is paper.

    Pillow's box filter takes a canvas pixel whole or not at all, which shows where a digit was drawn small. `start` is
    (row, column) of the first square's corner, `pixel` the side of a square, or its height and width, in canvas pixels.
    """
    high, wide = pixel if isinstance(pixel, tuple) else (pixel, pixel)
    lines = _summed(canvas, start[0] + high * np.arange(shape[0] + 1))
    squares = _summed(lines.T, start[1] + wide * np.arange(shape[1] + 1)).T
    averaged: Bytes = np.rint(squares / (high * wide)).astype(np.uint8)
    return averaged


def _summed(values: npt.NDArray[Any], edges: npt.NDArray[np.floating[Any]]) -> Floats:
    """Sum rows of (side, other) between neighbouring edges, parts of rows too: (edges - 1, other).

    By a running sum and not by a matrix product: that one's threads wait for one another on a busy machine, which makes
    a tenth of a millisecond a hundredth of a second.
    """
    kind = np.int32 if values.dtype == np.uint8 else np.float64  # three times as fast, and enough for bytes
    running = np.zeros((len(values) + 1, values.shape[1]), kind)
    values.cumsum(0, dtype=kind, out=running[1:])
    edges = edges.clip(0, len(values))
    whole = np.minimum(edges.astype(np.int64), len(values) - 1)
    part = (edges - whole)[:, None]
    return np.diff(running[whole] * (1 - part) + running[whole + 1] * part, axis=0)


def _paste(picture: Bytes, ink: Bytes, start: tuple[int, int]) -> None:
    """Put the ink into the picture, its first pixel at `start`; what reaches over an edge is lost, as with MNIST."""
    top, left = max(start[0], 0), max(start[1], 0)
    part = ink[top - start[0] : SIZE - start[0], left - start[1] : SIZE - start[1]]
    picture[top : top + part.shape[0], left : left + part.shape[1]] = part

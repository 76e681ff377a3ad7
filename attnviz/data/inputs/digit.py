"""Preparing a drawing like a digit of MNIST: the picture that the models receive, and the steps to it.

    seen = prepare(canvas)                # canvas: uint8 (280, 280), 0 is paper, 255 is ink
    seen.picture, seen.words              # uint8 (28, 28); "Cut out 93 × 140 pixels, ..."

The ink is cut out, scaled proportionally to 20 pixels along its longer side with grey edges, and moved by whole pixels
until its centre of mass lies on pixel 14 of 28 x 28. A picture that was made in this way and enlarged by a whole factor
is recovered exactly.

Source: LeCun, Cortes, Burges, "The MNIST database of handwritten digits", 1998, http://yann.lecun.com/exdb/mnist/.
Pixel 14 and moves by whole pixels were determined from MNIST itself: the centres of mass of all its test pictures lie
between 13.5 and 14.5. `attnviz.data.strokes` follows the same rule.

Differs: MNIST's originals were black and white; here grey ink stays grey.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes, Floats
from attnviz.data.strokes import centre_of_mass
from attnviz.errors import BadInput

SIZE = 28
"""Pixels along each side of a net's picture."""

BOX = 20
"""Pixels along the longer side of the scaled ink."""

CANVAS = 280
"""Pixels along each side of the drawing canvas."""

FAINT = 8
"""Ink below this value, of 255, counts as paper when the edges of the ink are determined."""


@dataclass(frozen=True)
class Prepared:
    """A net's picture, and the steps that made it from the canvas.

    `picture`: uint8 (28, 28), 0 is paper and 255 is ink. `empty`: whether there was no visible ink, so that the picture
    is all paper. `box`: the part cut out of the canvas, (top, left, bottom, right) in its pixels, bottom and right
    excluded. `scale`: pixels of the picture per pixel of the canvas. `fitted`: the rows and columns to which the box
    was scaled. `shift`: (rows, columns) by which it was then moved from the middle, down and to the right. `centred`:
    whether the ink was cut out, rather than the whole canvas scaled.
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
        """The steps, as one sentence."""
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
    """Convert a drawing, uint8 (row, column), square and at least 28 x 28, 0 is paper, to the models' picture.

    `centred` cuts out, scales and centres the ink as in MNIST; otherwise the whole canvas is averaged down. An empty
    canvas gives a picture of paper, marked as `empty`.
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
    # Pixels begin where the ink begins, so that an enlarged picture is aligned with its own pixels, whatever the width
    # of the ink. The box has one more pixel on every side, for ink that is too faint to count as an edge.
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
    """Average squares of the canvas to a pixel each, uint8; canvas pixels are weighted by the covered part, and beyond
    the canvas there is paper.

    Pillow's box filter uses a canvas pixel entirely or not at all, which is visible on small digits. `start` is the
    (row, column) of the first square's corner, and `pixel` the side of a square, or its height and width, in canvas
    pixels.
    """
    high, wide = pixel if isinstance(pixel, tuple) else (pixel, pixel)
    lines = _summed(canvas, start[0] + high * np.arange(shape[0] + 1))
    squares = _summed(lines.T, start[1] + wide * np.arange(shape[1] + 1)).T
    averaged: Bytes = np.rint(squares / (high * wide)).astype(np.uint8)
    return averaged


def _summed(values: npt.NDArray[Any], edges: npt.NDArray[np.floating[Any]]) -> Floats:
    """Sum rows of (side, other) between neighbouring edges, including parts of rows: (edges - 1, other).

    It uses a running sum instead of a matrix product, whose threads wait for each other on a busy machine, so that a
    tenth of a millisecond becomes a hundredth of a second.
    """
    kind = np.int32 if values.dtype == np.uint8 else np.float64  # three times as fast, and enough for bytes
    running = np.zeros((len(values) + 1, values.shape[1]), kind)
    values.cumsum(0, dtype=kind, out=running[1:])
    edges = edges.clip(0, len(values))
    whole = np.minimum(edges.astype(np.int64), len(values) - 1)
    part = (edges - whole)[:, None]
    return np.diff(running[whole] * (1 - part) + running[whole + 1] * part, axis=0)


def _paste(picture: Bytes, ink: Bytes, start: tuple[int, int]) -> None:
    """Paste the ink into the picture with its first pixel at `start`; ink outside the picture is lost, as in MNIST."""
    top, left = max(start[0], 0), max(start[1], 0)
    part = ink[top - start[0] : SIZE - start[0], left - start[1] : SIZE - start[1]]
    picture[top : top + part.shape[0], left : left + part.shape[1]] = part

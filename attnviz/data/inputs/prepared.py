"""Preparations, which convert a drawing or a picture to a model's input."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data.inputs import digit
from attnviz.data.inputs.digit import averaged
from attnviz.errors import BadInput


@dataclass(frozen=True)
class Prepared:
    """A model's input picture, uint8 (row, column, channel), 0 is paper, and the steps that made it: as one sentence,
    and as numbers for JSON.
    """

    picture: Bytes
    words: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def steps(self) -> dict[str, Any]:
        """Return the steps for JSON: the sentence, and the details by name."""
        return {"words": self.words, **self.details}


class Preparation(Protocol):
    """A function from a canvas to a model's input."""

    def __call__(self, canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
        """Prepare a canvas, uint8 (row, column) or (row, column, channel); in a drawing 0 is paper and 255 is ink.

        `centred` is whether the drawing may be cut out and moved to the middle, if the preparation does that.
        """
        ...


def checked(canvas: Bytes) -> Bytes:
    """Return a canvas as (row, column, channel)."""
    several = canvas[..., None] if canvas.ndim == 2 else canvas
    if canvas.dtype != np.uint8 or several.ndim != 3 or several.shape[2] not in (1, 3) or not several.size:
        raise BadInput(
            "A canvas is uint8 (row, column), or (row, column, channel) with 1 or 3 channels; "
            f"this is {canvas.dtype} of shape {tuple(canvas.shape)}."
        )
    return several


def in_channels(picture: Bytes, channels: int) -> Bytes:
    """Convert a picture (row, column, channel) to `channels` channels: grey is repeated, colour averaged to grey."""
    if picture.shape[2] == channels:
        return picture
    if channels == 1:
        grey: Bytes = np.rint(picture.mean(2, keepdims=True)).astype(np.uint8)
        return grey
    if picture.shape[2] == 1:
        return picture.repeat(channels, 2)
    raise BadInput(f"A picture of {picture.shape[2]} channels cannot be shown to a model of {channels}.")


_STEPS = ("empty", "box", "scale", "fitted", "shift", "centred")


def mnist_style(canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
    """Prepare a drawing, uint8 (row, column) or (row, column, channel), like a digit of MNIST, see
    `attnviz.data.inputs.digit.prepare`.

    A model of larger pictures than 28 x 28 gets the digit in the middle of paper; a model of smaller pictures gets it
    scaled down. The ink of a canvas in colour is the mean over its channels.
    """
    seen = digit.prepare(in_channels(checked(canvas), 1)[:, :, 0], centred=centred)
    side = len(seen.picture)
    words, picture = seen.words, seen.picture[:, :, None]
    if min(rows, columns) < side:
        picture = scaled(picture, rows, columns)
        words += "" if seen.empty else f" Then scaled to {columns} × {rows} pixels."
    elif max(rows, columns) > side:
        top, left = (rows - side) // 2, (columns - side) // 2
        paper = np.zeros((rows, columns, 1), np.uint8)
        paper[top : top + side, left : left + side] = picture
        picture = paper
        words += "" if seen.empty else f" Then placed in the middle of {columns} × {rows} pixels."
    return Prepared(in_channels(picture, channels), words, {step: getattr(seen, step) for step in _STEPS})


def resized(canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
    """Scale a canvas, uint8 (row, column) or (row, column, channel), to a shape; each pixel is the mean over its area.

    Grey is repeated, and colour averaged to grey. `centred` is ignored: nothing is cut out.
    """
    picture = checked(canvas)
    made = in_channels(scaled(picture, rows, columns), channels)
    high, wide = picture.shape[:2]
    empty = not made.any()
    words = (
        "Nothing is drawn."
        if empty
        else f"The whole picture of {wide} × {high} pixels was scaled to {columns} × {rows}."
    )
    return Prepared(made, words, {"empty": empty})


def scaled(picture: Bytes, rows: int, columns: int) -> Bytes:
    """Average a picture (row, column, channel) over the area of each new pixel: (rows, columns, channel)."""
    high, wide, channels = picture.shape
    side = high / rows, wide / columns
    made = [averaged(picture[:, :, channel], (0, 0), side, (rows, columns)) for channel in range(channels)]
    return np.stack(made, axis=2)

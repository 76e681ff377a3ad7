"""What a preparation is, and what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from attnviz.arrays import Bytes
from attnviz.errors import BadInput


@dataclass(frozen=True)
class Prepared:
    """A picture as a model takes it, uint8 (row, column, channel), 0 is paper, and how it was made: as one sentence,
    and in numbers that JSON can say.
    """

    picture: Bytes
    words: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def steps(self) -> dict[str, Any]:
        """Return what was done as JSON can say it: the words, and the details under their names."""
        return {"words": self.words, **self.details}


class Preparation(Protocol):
    """A function from a canvas to what a model takes."""

    def __call__(self, canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
        """Prepare a canvas, uint8 (row, column) or (row, column, channel); of a drawing 0 is paper and 255 is ink.

        `centred` says whether what is drawn may be cut out and moved to the middle, where the preparation does that.
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
    """Return a picture (row, column, channel) with so many channels: grey is repeated, colour averaged to grey."""
    if picture.shape[2] == channels:
        return picture
    if channels == 1:
        grey: Bytes = np.rint(picture.mean(2, keepdims=True)).astype(np.uint8)
        return grey
    if picture.shape[2] == 1:
        return picture.repeat(channels, 2)
    raise BadInput(f"A picture of {picture.shape[2]} channels cannot be shown to a model of {channels}.")

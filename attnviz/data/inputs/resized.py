"""A whole canvas or picture, scaled to the shape that a model takes."""

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data.inputs.digit import averaged
from attnviz.data.inputs.prepared import Prepared, checked, in_channels


def resized(canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
    """Scale a canvas, uint8 (row, column) or (row, column, channel), to a shape; each pixel is the mean of the area
    that it covers.

    Grey is repeated, and colour averaged to grey. Nothing is cut out, `centred` or not.
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
    """Return a picture (row, column, channel) averaged over the area of each new pixel: (rows, columns, channel)."""
    high, wide, channels = picture.shape
    side = high / rows, wide / columns
    made = [averaged(picture[:, :, channel], (0, 0), side, (rows, columns)) for channel in range(channels)]
    return np.stack(made, axis=2)

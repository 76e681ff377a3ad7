"""A drawing as MNIST would have made it, in the middle of as much paper as the model takes."""

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data.inputs import digit
from attnviz.data.inputs.prepared import Prepared, checked, in_channels
from attnviz.data.inputs.resized import scaled

_STEPS = ("empty", "box", "scale", "fitted", "shift", "centred")


def mnist_style(canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
    """Make of a drawing, uint8 (row, column) or (row, column, channel), what MNIST would have made of it: see
    `attnviz.data.inputs.digit.prepare`.

    A model of larger pictures than 28 x 28 gets that digit in the middle of paper; one of smaller pictures gets it
    scaled down. Of a canvas in colour the mean over the channels is the ink.
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

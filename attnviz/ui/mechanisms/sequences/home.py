"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

import numpy as np

from attnviz.subjects import Loaded
from attnviz.ui.mechanisms.sequences import choose, reading
from attnviz.ui.shared import home_picture


def tiles(loaded: Loaded, *_: object) -> home_picture.Pair:
    """Return the strip, two lines of four digits, and the weights of its steps: a row for each step."""
    digits = 4
    view = reading.view(loaded, choose.opening())
    picture, side = view.picture[..., 0], view.picture.shape[0]
    lines = [picture[:, start : start + digits * side] for start in range(0, picture.shape[1], digits * side)]
    room = np.zeros((digits * side, digits * side), np.uint8)
    for number, line in enumerate(lines):
        top = round((number + 0.5) * digits * side / len(lines) - side / 2)
        room[top : top + side, : line.shape[1]] = line
    weights = view.layers[0].own
    assert weights is not None
    return home_picture.grey(room), home_picture.heat(weights.mean(0))

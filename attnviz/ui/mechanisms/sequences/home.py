"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.sequences.home`."""

import numpy as np
from PIL import Image

from attnviz.subjects import net
from attnviz.ui.mechanisms.sequences import MECHANISM, choose, reading
from attnviz.ui.shared import home_picture

DIGITS = 4


def tiles() -> tuple[Image.Image, Image.Image]:
    """Return the strip, two lines of four digits, and the weights of its steps: a row for each step."""
    assert MECHANISM.home is not None
    loaded, strip = net(MECHANISM.home.view["model"]).load(double=True), choose.opening()
    view = reading.view(loaded, strip)
    picture, side = view.picture[..., 0], view.picture.shape[0]
    lines = [picture[:, start : start + DIGITS * side] for start in range(0, picture.shape[1], DIGITS * side)]
    room = np.zeros((DIGITS * side, DIGITS * side), np.uint8)
    for number, line in enumerate(lines):
        top = round((number + 0.5) * DIGITS * side / len(lines) - side / 2)
        room[top : top + side, : line.shape[1]] = line
    weights = view.layers[0].own
    assert weights is not None
    return home_picture.grey(room), home_picture.heat(weights.mean(0))


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)

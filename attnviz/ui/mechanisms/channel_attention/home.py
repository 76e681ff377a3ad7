"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.channel_attention.home`."""

import numpy as np
from PIL.Image import Image

from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms.channel_attention import MECHANISM, gates
from attnviz.ui.shared import home_picture

ACROSS, HIGH, GAP = 32, 48, 8  # bars in a row; steps of a bar, and between two rows


def tiles() -> tuple[Image, Image]:
    """Return the digit, and the gates of the last block as bars, from the floor of its row up."""
    assert MECHANISM.home is not None
    shown = MECHANISM.home.view
    loaded, picture = net(shown["model"]).load(double=True), Picture(shown["data"], shown["number"])
    found = gates.of_picture(loaded, picture)[int(shown["layer"]) - 1]
    rows = [found[first : first + ACROSS] for first in range(0, len(found), ACROSS)]
    levels = (np.arange(HIGH, 0, -1) - 0.5) / HIGH
    drawn = [np.concatenate([levels[:, None] < row, np.zeros((GAP, ACROSS), bool)]) for row in rows]
    image = picture.taken_by(loaded.net)
    return home_picture.grey(image[..., 0]), home_picture.heat(np.concatenate(drawn).astype(float))


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)

"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.subjects import Loaded, Picture
from attnviz.ui.mechanisms.channel_attention import gates
from attnviz.ui.shared import home_picture


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit, and the gates of the last block as bars, from the floor of its row up."""
    across, high, gap = 32, 48, 8  # bars in a row; steps of a bar, and between two rows
    found = gates.of_picture(loaded, picture)[int(shown["layer"]) - 1]
    rows = [found[first : first + across] for first in range(0, len(found), across)]
    levels = (np.arange(high, 0, -1) - 0.5) / high
    drawn = [np.concatenate([levels[:, None] < row, np.zeros((gap, across), bool)]) for row in rows]
    return home_picture.grey(image[..., 0]), home_picture.heat(np.concatenate(drawn).astype(float))

"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.subjects import Loaded, Picture
from attnviz.ui.mechanisms.spatial_transformer import grids
from attnviz.ui.mechanisms.spatial_transformer.many import path_of
from attnviz.ui.shared import home_picture


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the outline of its grid, and what is sampled."""
    shrunk = 0.75  # of the picture, so that the grid, which may reach beyond it, has room
    seen, _ = grids.seen_of(loaded, picture)
    path = path_of(loaded)
    theta, sampled = (seen[f"{path}.{tap}"].tensor[0].numpy() for tap in ("theta", "transformed"))
    around = [round(count * (1 / shrunk - 1) / 2) for count in image.shape[:2]]
    padded = np.pad(image[..., 0], [(one, one) for one in around])
    rows, columns = image.shape[:2]
    points = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)):
        across, down = theta @ (x, y, 1)
        points.append((around[0] + (down + 1) * rows / 2, around[1] + (across + 1) * columns / 2))
    left = home_picture.grey(padded)
    home_picture.path(left, padded.shape, points)
    return left, home_picture.grey(255 * sampled[0])

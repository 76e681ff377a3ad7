"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.subjects import Loaded, Picture, net
from attnviz.ui.shared import home_picture
from attnviz.views import looking
from attnviz.views.glimpses import layer_of


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the sharp patches and the path over it, and the digit where only what it saw is left."""
    model = net(shown["model"]).load().model  # in single precision, as it was trained
    corners = looking.path_over(model, image, None).corner[:, 0]  # (glimpse, 2) of the sharp patches
    size = layer_of(model)[1].retina.size
    left = home_picture.grey(image[..., 0])
    for corner in corners:
        home_picture.outline(left, image.shape[:2], (int(corner[0]), int(corner[1])), size, 1)
    home_picture.path(left, image.shape[:2], [(row + size / 2, column + size / 2) for row, column in corners])
    seen = np.zeros(image.shape[:2], bool)
    for row, column in corners:
        seen[max(row, 0) : max(row + size, 0), max(column, 0) : max(column + size, 0)] = True
    return left, home_picture.grey(np.where(seen, image[..., 0], 0))

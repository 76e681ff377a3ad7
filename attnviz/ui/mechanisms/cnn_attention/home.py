"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.subjects import Loaded, Picture
from attnviz.ui.dot_product import attending
from attnviz.ui.shared import home_picture


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with what a block sees outlined, a block on the strokes, and its weights."""
    query, head = (2, 3), 6
    view = attending.attention(loaded, picture, unit="block")
    weights = home_picture.weights(view, query, head)
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    assert view.boxes is not None
    top, across, down, right_by, size, _ = view.boxes
    corner = round(top + query[0] * down), round(across + query[1] * right_by)
    home_picture.outline(left, image.shape[:2], corner, round(size))
    home_picture.outline(right, weights.shape, query, 1)
    return left, right

"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.subjects import Loaded, Picture
from attnviz.ui.dot_product import attending
from attnviz.ui.shared import home_picture


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the query's pixel outlined, where the strokes of the 8 cross, and its weights."""
    query = (6, 6)
    view = attending.attention(loaded, picture)
    weights = home_picture.weights(view, query, int(shown["head"]) - 1)
    left, right = home_picture.grey((255 * view.picture).astype(np.uint8)), home_picture.heat(weights)
    for tile in (left, right):
        home_picture.outline(tile, weights.shape, query, 1)
    return left, right

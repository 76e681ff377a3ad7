"""The picture of the home page: see `attnviz/ui/home_pictures.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.subjects import Loaded, Picture
from attnviz.ui.components.layer_board import FIELDS as BOARD
from attnviz.ui.mechanisms.vision_transformer import layers
from attnviz.ui.shared import home_picture


def tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with one patch outlined, and the weights with which a head takes values for it."""
    view = layers.view(loaded, picture)
    asked = BOARD.read({name: str(word) for name, word in shown.items()})
    (row, column), layer, head = asked["query"], asked["layer"], asked["head"]
    query = view.prefix + row * view.columns + column
    scores = view.query[layer, head, query] @ view.key[layer, head].T / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[layer, head, query])[view.prefix :].reshape(view.rows, view.columns)
    side = image.shape[0] // view.rows
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    home_picture.outline(left, image.shape[:2], (row * side, column * side), side)
    home_picture.outline(right, weights.shape, (row, column), 1)
    return left, right

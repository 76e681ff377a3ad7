"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.vision_transformer.home`."""

import numpy as np
from PIL.Image import Image

from attnviz.subjects import Picture, net
from attnviz.ui.components.layer_board import FIELDS
from attnviz.ui.mechanisms.vision_transformer import MECHANISM, layers
from attnviz.ui.shared import home_picture


def tiles() -> tuple[Image, Image]:
    """Return the digit with one patch outlined, and the weights with which a head takes values for it."""
    assert MECHANISM.home is not None
    shown = MECHANISM.home.view
    loaded, picture = net(shown["model"]).load(double=True), Picture(shown["data"], shown["number"])
    view = layers.view(loaded, picture)
    asked = FIELDS.read({name: str(word) for name, word in shown.items()})
    (row, column), layer, head = asked["query"], asked["layer"], asked["head"]
    query = view.prefix + row * view.columns + column
    scores = view.query[layer, head, query] @ view.key[layer, head].T / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[layer, head, query])[view.prefix :].reshape(view.rows, view.columns)
    image = picture.taken_by(loaded.net)
    side = image.shape[0] // view.rows
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    home_picture.outline(left, image.shape[:2], (row * side, column * side), side)
    home_picture.outline(right, weights.shape, (row, column), 1)
    return left, right


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)

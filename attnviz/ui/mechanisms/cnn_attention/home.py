"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.cnn_attention.home`."""

import numpy as np
from PIL.Image import Image

from attnviz.subjects import Picture, net
from attnviz.ui.dot_product import attending
from attnviz.ui.mechanisms.cnn_attention import MECHANISM
from attnviz.ui.shared import home_picture

QUERY, HEAD = (2, 3), 6  # a block on the strokes, from 0


def tiles() -> tuple[Image, Image]:
    """Return the digit with what a block sees outlined, and the weights with which a head takes values for it."""
    assert MECHANISM.home is not None
    shown = MECHANISM.home.view
    loaded, picture = net(shown["model"]).load(double=True), Picture(shown["data"], shown["number"])
    view = attending.attention(loaded, picture, unit="block")
    query = view.prefix + QUERY[0] * view.columns + QUERY[1]
    scores = view.query[HEAD, query] @ view.key[HEAD].T / np.sqrt(view.query.shape[2])
    weights = np.exp(scores - view.log_normaliser[HEAD, query])[view.prefix :].reshape(view.rows, view.columns)
    image = picture.taken_by(loaded.net)
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    assert view.boxes is not None
    top, across, down, right_by, size, _ = view.boxes
    corner = round(top + QUERY[0] * down), round(across + QUERY[1] * right_by)
    home_picture.outline(left, image.shape[:2], corner, round(size))
    home_picture.outline(right, weights.shape, QUERY, 1)
    return left, right


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)

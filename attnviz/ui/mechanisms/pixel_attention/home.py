"""Makes the picture of the home page: `python -m attnviz.ui.mechanisms.pixel_attention.home`."""

import numpy as np
from PIL.Image import Image

from attnviz.ui.mechanisms.pixel_attention.first_look import NAME, NUMBER, SOURCE
from attnviz.ui.shared import first_look, home_picture
from attnviz.views.attention import AttentionView

QUERY, HEAD = (6, 6), 0  # where the strokes of the 8 cross; from 0


def tiles() -> tuple[Image, Image]:
    """Return the digit with the query's pixel outlined, and the weights with which a head takes values for it."""
    found = first_look.stored(NAME, f"{SOURCE}/test/{NUMBER}")
    assert found is not None, "compute the first look first"
    view = AttentionView.unpacked(found)
    query = view.prefix + QUERY[0] * view.columns + QUERY[1]
    scores = view.query[HEAD, query] @ view.key[HEAD].T / np.sqrt(view.query.shape[2])
    weights = np.exp(scores - view.log_normaliser[HEAD, query])[view.prefix :].reshape(view.rows, view.columns)
    left, right = home_picture.grey((255 * view.picture).astype(np.uint8)), home_picture.heat(weights)
    for tile in (left, right):
        home_picture.outline(tile, weights.shape, QUERY, 1)
    return left, right


if __name__ == "__main__":
    home_picture.save(*tiles(), __file__)

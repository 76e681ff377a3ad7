"""The first view of the home page and the pixel page, computed in advance.

`python -m attnviz.ui.mechanisms.pixel_attention.first_look` computes it again after the checkpoint has been trained
again. A test compares it with the result of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from attnviz.errors import CheckpointError
from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.ui.shared import first_look, home_picture, url_state
from attnviz.views.attention import FIELDS

if TYPE_CHECKING:  # the home page reads no data
    from attnviz.subjects import Loaded, Picture

NAME, SOURCE, NUMBER = "pixel_attention.digits", "strokes", 23
VIEWER = "home_viewer"


def show() -> None:
    """Draw a digit with its attention on the home page; it answers the pointer without a model."""
    view = first_look.stored(NAME, f"{SOURCE}/test/{NUMBER}")
    if view is None:  # raised before the fragment begins, in which Streamlit would show its own message
        raise CheckpointError(f"The first look of {NAME} is missing or out of date: run `python -m {__name__}`.")
    _draw(view)


@st.fragment
def _draw(view: bytes) -> None:
    url_state.catch_up()
    pixel_viewer(view, key=VIEWER, state=FIELDS.read(st.query_params.to_dict()), plain=True, on_change=_keep)


def _keep() -> None:
    words = FIELDS.write(settled_view(VIEWER) or {})
    url_state.set_value(v=url_state.VERSION if any(words.values()) else None, **words)


def renew() -> None:
    """Compute the first look again and write it next to the weights."""
    from attnviz.subjects import Picture, net
    from attnviz.ui.dot_product import attending

    view = attending.attention(net(NAME).load(double=True), Picture(SOURCE, NUMBER))
    first_look.keep(NAME, view.packed())


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the query's pixel outlined, where the strokes of the 8 cross, and its weights."""
    from attnviz.views import attending

    query = (6, 6)
    view = attending.attention(loaded, picture)
    weights = home_picture.weights(view, query, int(shown["head"]) - 1)
    left, right = home_picture.grey((255 * view.picture).astype(np.uint8)), home_picture.heat(weights)
    for tile in (left, right):
        home_picture.outline(tile, weights.shape, query, 1)
    return left, right


if __name__ == "__main__":
    renew()

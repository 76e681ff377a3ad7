"""Clutter around a visitor's drawing, for models that were trained on cluttered pictures.

clutter    number of a random arrangement of the drawing and the patches, from 1; 0 for none: it is the same anywhere
"""

import streamlit as st

from attnviz.cards import Card
from attnviz.data.cluttered import CLUTTERED, thrown
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput
from attnviz.ui.shared import page, url_state
from attnviz.ui.shared.pickers import Picture

FIELD = "clutter"
MOST = 1000  # throws
_KEY = "clutter_thrown"


def around(card: Card, chosen: Picture) -> tuple[Picture, dict[str, int]]:
    """Draw the choice of clutter where it makes sense, and return the picture that the model sees.

    Args:
        card: of the model.
        chosen: what is looked at.

    Returns:
        The drawing among clutter, which is a drawing again, and the URL field that says which throw it is; of a picture
        of a data set, or for a model without clutter, what was chosen, and no field.
    """
    how = CLUTTERED.get(card.recipe.data)
    if how is None or not drawing.is_name(chosen.source):
        return chosen, {}
    ink = drawing.read(chosen.source)
    if ink.shape[0] != ink.shape[1] or len(ink) >= how.canvas:
        return chosen, {}
    throw = url_state.number(FIELD, MOST + 1, 1, f"{_KEY}_number")
    st.session_state[_KEY] = throw > 0
    st.toggle("Add clutter", key=_KEY, on_change=_toggle)
    st.button("New clutter", disabled=not throw, on_click=_again, args=(throw,))
    if not throw:
        return chosen, {FIELD: 0}
    try:
        name = drawing.name(thrown(ink, how, seed=throw)[:, :, 0])
    except BadInput as error:
        st.caption(page.verbatim(f"{error} You see it without clutter."))
        return chosen, {FIELD: throw}
    return Picture(name, 0), {FIELD: throw}


def _toggle() -> None:
    url_state.set_value(**{FIELD: 1 if st.session_state[_KEY] else 0})


def _again(throw: int) -> None:
    url_state.set_value(**{FIELD: throw % MOST + 1})

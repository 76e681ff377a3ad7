"""Clutter around a visitor's drawing, for models that were trained on cluttered pictures.

clutter    seed of the arrangement of the drawing and the patches, from 1, the same on any machine; 0 for no clutter
"""

import streamlit as st

from attnviz.data.cluttered import CLUTTERED, thrown
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput
from attnviz.subjects import Drawing, Example, Net
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim

FIELD = "clutter"
MOST = 1000  # the largest seed of an arrangement
_KEY = "clutter_thrown"


def around(net: Net, example: Example) -> tuple[Example, dict[str, int]]:
    """Draw the choice of clutter if it makes sense, and return the example that the net sees and its URL field.

    That example is the drawing among clutter, again a drawing; the field is the seed of the arrangement. For a picture
    of a data set, or a net that was trained without clutter, it is the chosen example and there is no field.
    """
    how = CLUTTERED.get(net.data or "")
    if how is None or example.data is not None:
        return example, {}
    ink = example.picture
    if ink.shape[0] != ink.shape[1] or len(ink) >= how.canvas or ink.shape[2] != 1:
        return example, {}
    throw = url_state.number(FIELD, MOST + 1, 1, f"{_KEY}_number")
    st.session_state[_KEY] = throw > 0
    st.toggle("Add clutter", key=_KEY, on_change=_toggle)
    st.button("New clutter", disabled=not throw, on_click=_again, args=(throw,))
    if not throw:
        return example, {FIELD: 0}
    try:
        name = drawing.name(thrown(ink[:, :, 0], how, seed=throw)[:, :, 0])
    except BadInput as error:
        st.caption(verbatim(f"{error} You see it without clutter."))
        return example, {FIELD: throw}
    return Drawing(drawing.word(name)), {FIELD: throw}


def _toggle() -> None:
    url_state.set_value(**{FIELD: 1 if st.session_state[_KEY] else 0})


def _again(throw: int) -> None:
    url_state.set_value(**{FIELD: throw % MOST + 1})

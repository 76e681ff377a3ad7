"""Scroll to a place of the page: what a click elsewhere has opened is then in view."""

import streamlit as st

from attnviz.ui.components import component
from attnviz.ui.payload import pack

_NUMBER = "arrive.number"


def here(key: str) -> None:
    """Mark a place: the page scrolls to it when it appears, and again after each `ask`.

    Args:
        key: of the place in this page.
    """
    component("arrive")(key=key, data=pack({"number": st.session_state.get(_NUMBER, 0)}, {}), height=1)


def ask() -> None:
    """Scroll to the marked place once more, in the next run: to be called where a click opens what stands there."""
    st.session_state[_NUMBER] = st.session_state.get(_NUMBER, 0) + 1

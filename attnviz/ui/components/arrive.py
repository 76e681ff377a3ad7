"""Scrolls to a position on the page, to bring into view something that a click elsewhere has opened."""

import streamlit as st

from attnviz.ui.components.component import component
from attnviz.views.payload import pack

_NUMBER = "arrive.number"


def here(key: str) -> None:
    """Mark a position: the page scrolls to it when it appears, and again after each `ask`."""
    component("arrive")(key=key, data=pack({"number": st.session_state.get(_NUMBER, 0)}, {}), height=1)


def ask() -> None:
    """Scroll to the marked position again in the next run; call this when a click opens the contents there."""
    st.session_state[_NUMBER] = st.session_state.get(_NUMBER, 0) + 1

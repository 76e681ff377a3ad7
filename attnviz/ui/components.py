"""The components of the browser, registered when a page first draws one.

Streamlit knows components that come from files only while its runtime exists, so nothing may be registered when a
module is imported; and a definition belongs to the whole process, so each is registered once.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

_registered: dict[str, ComponentRenderer] = {}
_lock = Lock()


def component(name: str) -> ComponentRenderer:
    """Give the command that draws a component of `frontend/`.

    Args:
        name: the component as `pyproject.toml` declares it, such as "pixel_viewer"; its files are `NAME.js` and
            `NAME.css`.

    Returns:
        The mounting command: call it with `key`, `data` (bytes) and callbacks.
    """
    import streamlit as st

    with _lock:
        if name not in _registered:
            _registered[name] = st.components.v2.component(f"attnviz.{name}", js=f"{name}.js", css=f"{name}.css")
        return _registered[name]

"""The browser components, each registered when a page first draws it.

Streamlit accepts components from files only while its runtime exists, so none can be registered when a module is
imported. A registration applies to the whole process, so each component is registered once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

FRONTEND = Path(__file__).parents[1] / "frontend"

SHARED = (
    "arrive", "drawing_pad", "epoch_slider", "head_table", "map_grid", "parallel_coordinates", "photograph",
    "pixel_viewer", "stage_maps", "value_bars",
)  # fmt: skip
"""The components of attnviz that belong to no mechanism or to several; the rows of `MECHANISMS` list the others."""

when_reported: list[Callable[[], None]] = []
"""The functions to call before a page run when a component has reported a change that its page has no callback for."""

_registered: dict[str, ComponentRenderer] = {}
_lock = Lock()


def reported() -> None:
    """Call the functions in `when_reported`: the default callback of a component."""
    for act in when_reported:
        act()


def full_name(name: str) -> str:
    """Return a component's name as PACKAGE.NAME; a name without a package belongs to attnviz."""
    return name if "." in name else f"attnviz.{name}"


def module_of(name: str, frontend: Path) -> str:
    """Return the path of a component's files in a folder, without suffix."""
    return f"{name}/{name}" if (frontend / name).is_dir() else name


def component(name: str) -> ComponentRenderer:
    """Return the function that draws a component: one in our `pyproject.toml`, such as "pixel_viewer", or PACKAGE.NAME
    of another package's mechanism.

    Its files are `NAME.js` and `NAME.css`, in the folder NAME if that exists.
    """
    import streamlit as st

    with _lock:
        if name not in _registered:
            full = full_name(name)
            file = module_of(full.partition(".")[2], FRONTEND)
            _registered[name] = st.components.v2.component(full, js=f"{file}.js", css=f"{file}.css")
        return _registered[name]

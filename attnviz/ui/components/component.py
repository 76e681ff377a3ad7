"""The browser components, each registered when a page first draws it.

Streamlit accepts components from files only while its runtime exists, so nothing can be registered when a
module is imported. A definition belongs to the whole process, so each is registered once.
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
"""Components of attnviz that belong to no mechanism, or to several; the rows of `MECHANISMS` list the others."""

when_reported: list[Callable[[], None]] = []
"""What is done before the page runs when a component has reported something that its page has no callback for."""

_registered: dict[str, ComponentRenderer] = {}
_lock = Lock()


def reported() -> None:
    """Do what `when_reported` lists: the callback of a component whose page has none of its own."""
    for act in when_reported:
        act()


def full_name(name: str) -> str:
    """Return PACKAGE.NAME of a component; one that names no package belongs to attnviz."""
    return name if "." in name else f"attnviz.{name}"


def module_of(name: str, frontend: Path) -> str:
    """Return the path of a component's files in a folder, without their suffixes."""
    return f"{name}/{name}" if (frontend / name).is_dir() else name


def component(name: str) -> ComponentRenderer:
    """Return the command that draws a component, "pixel_viewer" of our `pyproject.toml` or PACKAGE.NAME of a mechanism
    of another package.

    Its files are `NAME.js` and `NAME.css`, in a folder of that name if there is one.
    """
    import streamlit as st

    with _lock:
        if name not in _registered:
            full = full_name(name)
            file = module_of(full.partition(".")[2], FRONTEND)
            _registered[name] = st.components.v2.component(full, js=f"{file}.js", css=f"{file}.css")
        return _registered[name]

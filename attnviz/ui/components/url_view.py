"""Draws a component whose view stands in the URL: what a page asks of it, and what has settled there.

`frontend/core/url_view.js` is the browser's side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from attnviz.ui.components.component import component
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import with_header
from attnviz.views.url_fields import Fields


def draw(
    name: str,
    data: bytes,
    fields: Fields,
    *,
    key: str,
    state: Mapping[str, Any] | None,
    on_change: Callable[[], None] | None,
    **header: Any,
) -> dict[str, Any] | None:
    """Draw a component.

    Args:
        name: the component, as `component` takes it.
        data: what it shows, packed.
        fields: of its view.
        key: the component's name in this page; keep it fixed.
        state: the view that the URL names; fields may be missing (the default) or nonsense (the default, and a
            visible sentence). None leaves the visitor's own view as it is.
        on_change: called when a view has settled, before the page runs again; `settled_view` gives it there.
        **header: what else the component receives, as plain JSON values.

    Returns:
        The view that has settled last, all fields filled; None before the first time.
    """
    view = _controlled(key)
    asked = {"view": view.ask(None if state is None else fields.complete(state))}
    data = with_header(data, **header, fields=fields.declared(), state=asked)
    component(name)(key=key, data=data, on_view_change=view.callback(on_change))
    return settled_view(key)


@dataclass(frozen=True)
class Viewed:
    """A component that receives nothing besides its data, packed, and its view; its arguments are those of `draw`."""

    name: str
    fields: Fields

    def __call__(
        self,
        data: bytes,
        *,
        key: str,
        state: Mapping[str, Any] | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> dict[str, Any] | None:
        return draw(self.name, data, self.fields, key=key, state=state, on_change=on_change)


def settled_view(key: str) -> dict[str, Any] | None:
    """Return the view that settled last in the component of that key; None before the first time."""
    view: dict[str, Any] | None = _controlled(key).shown()
    return view


def _controlled(key: str) -> ControlledState:
    return ControlledState(key, "view", lambda view: dict(view) if isinstance(view, Mapping) else UNKNOWN)

"""Draws a component whose view is in the URL, and reads the view that has settled in it.

`frontend/core/url_view.js` is the browser's side.
"""

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
        name: The component's name, as for `component`.
        data: The packed data.
        fields: The fields of its view.
        key: The component's key on this page; keep it fixed.
        state: The view that the URL names. Fields may be missing (the default is used) or nonsense (the default is
            used, with a visible sentence). None leaves the visitor's own view unchanged.
        on_change: Called when a view has settled, before the page reruns; `settled_view` then returns it.
        **header: Further plain JSON values for the component.

    Returns:
        The view that last settled, with all fields filled in, or None before the first time.
    """
    view = _controlled(key)
    asked = {"view": view.ask(None if state is None else fields.complete(state))}
    data = with_header(data, **header, fields=fields.declared(), state=asked)
    component(name)(key=key, data=data, on_view_change=view.callback(on_change))
    return settled_view(key)


@dataclass(frozen=True)
class Viewed:
    """A component that takes only its packed data and its view; the arguments are those of `draw`."""

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
    """Return the view that last settled in the component of that key, or None before the first time."""
    view: dict[str, Any] | None = _controlled(key).shown()
    return view


def _controlled(key: str) -> ControlledState:
    return ControlledState(key, "view", lambda view: dict(view) if isinstance(view, Mapping) else UNKNOWN)

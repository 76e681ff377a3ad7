"""The component of this mechanism: the energy of a stage, as a map. Its modules lie in frontend/."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.ui.components.component import component
from attnviz.ui.components.payload import with_header
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.ui.components.url_fields import Field, Fields

FIELDS = Fields(Field("stage", "number", 0))


def energies(payload: bytes, *, key: str, state: Mapping[str, Any], on_change: Callable[[], None]) -> None:
    """Draw the energies of a subject.

    Args:
        payload: from the view "stage_energies".
        key: of the component in its page.
        state: what the URL asks for.
        on_change: called when the visitor has chosen another stage.
    """
    view = _controlled(key)
    asked = {"view": view.ask(FIELDS.complete(state))}
    data = with_header(payload, fields=FIELDS.declared(), state=asked)
    component("colour_stages.energies")(key=key, data=data, on_view_change=view.callback(on_change))


def settled(key: str) -> dict[str, Any] | None:
    """Return what the visitor has chosen last; None before the first time."""
    found: dict[str, Any] | None = _controlled(key).shown()
    return found


def _controlled(key: str) -> ControlledState:
    return ControlledState(key, "view", lambda view: dict(view) if isinstance(view, Mapping) else UNKNOWN)

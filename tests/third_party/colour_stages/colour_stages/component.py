"""The component of this mechanism: the energy of a stage, as a map. Its modules lie in frontend/."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.ui.components import url_view
from attnviz.views.url_fields import Field, Fields

FIELDS = Fields(Field("stage", "number", 0))


def energies(payload: bytes, *, key: str, state: Mapping[str, Any], on_change: Callable[[], None]) -> None:
    """Draw the energies of a subject.

    Args:
        payload: from the view "stage_energies".
        key: of the component in its page.
        state: what the URL asks for.
        on_change: called when the visitor has chosen another stage; `url_view.settled_view` gives it there.
    """
    url_view.draw("colour_stages.energies", payload, FIELDS, key=key, state=state, on_change=on_change)

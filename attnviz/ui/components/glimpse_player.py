"""A model's glimpses of a picture, one by one: the data for `frontend/glimpse_player/`, and the state of its view.

The data include a whole path, so that it can be explored without the server. Another draw, or a glimpse that is dragged
elsewhere, is requested from the live channel as the derived value "glimpses".

`attnviz/views/glimpses.py` defines the data and the view.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.glimpses import FIELDS as FIELDS
from attnviz.views.glimpses import GlimpseView

PARTS = ("player", "retina", "belief", "saves")
DECLARED = ("answer", "probability", "last_answer", "last_probability", "glimpse", "glimpses", "moved")
"""The values that lessons can use: the probabilities after the shown glimpse and after the last one, the shown
glimpse's number, from 1, the number of glimpses, and how many were moved by hand."""


def glimpse_player(
    view: GlimpseView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    parts: Sequence[str] = PARTS,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the picture with its glimpses and the chosen `parts` of PARTS; glimpses can be moved only with "player"."""
    return url_view.draw(
        "glimpse_player",
        view if isinstance(view, bytes) else view.packed(),
        FIELDS,
        key=key,
        state=state,
        on_change=on_change,
        parts=[*parts],
    )

"""How a model looks at a picture, glimpse by glimpse: the data for `frontend/glimpse_player/`, and its view's state.

A path comes with the data, so that all of it can be looked at without the server. Another draw, or a glimpse that is
dragged elsewhere, is asked for over the live channel, as the derived value "glimpses".

`attnviz/views/glimpses.py` says what it shows, and what a view of it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.glimpses import FIELDS as FIELDS
from attnviz.views.glimpses import GlimpseView

PARTS = ("player", "retina", "belief", "saves")
DECLARED = ("answer", "probability", "last_answer", "last_probability", "glimpse", "glimpses", "moved")
"""What lessons can ask for: the probabilities after the glimpse that is shown and after the last one, which one
that is, of how many, and how many were moved by hand. Glimpses count from 1."""


def glimpse_player(
    view: GlimpseView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    parts: Sequence[str] = PARTS,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the picture with its glimpses, and those of PARTS that are asked for; only a "player" can move them."""
    return url_view.draw(
        "glimpse_player",
        view if isinstance(view, bytes) else view.packed(),
        FIELDS,
        key=key,
        state=state,
        on_change=on_change,
        parts=[*parts],
    )

"""The attention of the pixel under the pointer: the data for `frontend/pixel_viewer/`, and the state of its view.

`attnviz/views/attention.py` says what a view holds, and what can be chosen in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.attention import FIELDS, LayerView
from attnviz.views.url_fields import Fields

DECLARED = (
    "answer", "probability", "logit", "query", "key", "head", "heads", "tokens", "score", "weight", "share", "value",
    "carried", "added", "added_by_all", "half", "query_number", "key_number", "value_number",
)  # fmt: skip
"""What lessons can ask for: the answer; the pair, from the score to what it adds to the answer; and `half`, on how many
tokens half of the map lies. Rows, columns and heads count from 1. A query, key or value of one number is named, too."""


def pixel_viewer(
    view: LayerView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    asked: Mapping[str, Any] | None = None,
    plain: bool = False,
    fields: Fields = FIELDS,
    layers: Sequence[Mapping[str, str]] | None = None,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the viewer of a view, as `url_view.draw` does, and return the view that has settled last.

    `asked` is how the Jacobian is asked for, from `jacobian_map.asked`; None offers no switch to it. `plain` leaves out
    the controls, the exports and the maps of query, key and value, for a first look. `layers` are those of the model,
    as dictionaries: "path", "title", and "refused", why it cannot be shown, or "". The view is then one of the live
    channel with the parameter `layer`, the browser fetches the others as they are chosen, and `fields` have "address",
    the path of the layer that is shown. None stands for a view alone.
    """
    return url_view.draw(
        "pixel_viewer",
        view if isinstance(view, bytes) else view.packed(),
        fields,
        key=key,
        state=state,
        on_change=on_change,
        plain=plain,
        asked=None if asked is None else dict(asked),
        **({} if layers is None else {"paths": [dict(one) for one in layers]}),
    )

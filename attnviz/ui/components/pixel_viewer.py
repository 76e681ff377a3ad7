"""The attention of the pixel under the pointer: the data for `frontend/pixel_viewer/`, and the state of its view.

`attnviz/views/attention.py` defines the data, and the view with its choices.
"""

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
"""The values that lessons can use: the answer; the pair, from its score to its part of the answer; and `half`, how many
tokens hold half of the map. Rows, columns and heads count from 1. One-number vectors are named too."""


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
    """Draw the viewer of a view, as `url_view.draw` does, and return the view that last settled.

    `asked` is the request for the Jacobian, from `jacobian_map.asked`; None offers no switch to it. `plain` omits the
    controls, the exports and the maps of query, key and value, for a first look. `layers` are the model's layers, as
    dictionaries: "path", "title", and "refused", the reason why a layer cannot be shown, or "". The view must then be
    one of the live channel with the parameter `layer`, the browser fetches other layers as they are chosen, and
    `fields` have "address", the path of the shown layer. None means a single view.
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

"""The layers of a captured model, with all heads at once: the data for `frontend/captured_board/`.

A view has the fields of the viewer of one layer, and "address", the layer's path. The browser receives one layer and
fetches the others over the live channel.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnviz.ui.components import url_view
from attnviz.ui.components.layer_board import DECLARED as DECLARED
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views import attention
from attnviz.views.url_fields import Field, Fields

FIELDS = Fields(*(one for one in attention.FIELDS.fields if one.name != "map"), Field("address", "text"))


def captured_board(
    view: bytes,
    *,
    key: str,
    layers: Sequence[Mapping[str, str | int]],
    state: Mapping[str, Any] | None = None,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the board for a view of one layer, with the parameter `layer`, and the values of the dots, `over`, in its
    header.

    `layers` are the model's layers, as dictionaries: "path", "title", "refused", and for drawable layers "heads",
    "rows", "columns" and "prefix". Layers that agree in the latter share a board.
    """
    paths = [dict(one) for one in layers]
    return url_view.draw("captured_board", view, FIELDS, key=key, state=state, on_change=on_change, paths=paths)

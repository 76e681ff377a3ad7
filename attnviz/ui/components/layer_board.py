"""All heads of all layers at once, on one picture: the data for `frontend/layer_board/`, and the state of its view.

It is the viewer of `pixel_viewer.py` for one layer, beside a board of the maps of all layers. A view has the fields of
that viewer, and "layer", which counts from 0 as heads do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attnviz.errors import BadInput
from attnviz.ui.components import pixel_viewer
from attnviz.ui.components.url_view import Viewed
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack
from attnviz.views.url_fields import Field, Fields

if TYPE_CHECKING:
    import numpy as np

FIELDS = Fields(Field("layer", "number", 0), *(one for one in pixel_viewer.FIELDS.fields if one.name != "map"))

DECLARED = (
    "layer", "layers", "answer", "probability", "query", "key", "head", "heads", "tokens", "score", "weight", "share",
    "value", "carried", "half",
)  # fmt: skip
"""What lessons can ask for; layers, rows, columns and heads count from 1."""

OF_TOKENS = ("query", "key", "value", "log_normaliser", "carried", "received")  # (layer, head, token, ...)
OF_HEADS = ("distance", "entropy", "nowhere")  # (layer, head)


@dataclass(frozen=True, eq=False)
class LayersView:
    """One picture, and what is needed to compute every weight of every layer. All floats are float64.

    N tokens: `prefix` that lie nowhere, then rows x columns, row by row from the top left; the same for all layers.

    Args:
        picture: (row, column) each patch's intensity, 0..1.
        background: uint8 (row, column, 1 or 3), the picture itself.
        query, key, value: (layer, head, token, size)
        log_normaliser: (layer, head, token) log of the sum of exp(score) over all keys, for each query.
        carried: (layer, head, token) length of what a key would add to the projection if its weight were 1.
        received: (layer, head, token) mean weight over all queries.
        output: (layer, token, feature) what comes out of each layer's attention.
        distance, entropy, nowhere: (layer, head), of `attnviz.measures.vision_transformer.over_layers`.
        even: what each of these three would be if all keys got the same, by name.
        answers: (layer, class) probabilities if each layer were the last.
        rows, columns, prefix: of the tokens.
        names: what the tokens that lie nowhere are called.
        classes: the names of the answers.
        probabilities: (class,) the model's answer, 0..1.
        label: the true class, if it is known.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
        ink: whether the edge of the ink is drawn on the maps.
    """

    picture: np.ndarray
    background: np.ndarray
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    log_normaliser: np.ndarray
    carried: np.ndarray
    received: np.ndarray
    output: np.ndarray
    distance: np.ndarray
    entropy: np.ndarray
    nowhere: np.ndarray
    even: Mapping[str, float]
    answers: np.ndarray
    rows: int
    columns: int
    prefix: int
    names: tuple[str, ...]
    classes: tuple[str, ...]
    probabilities: np.ndarray
    label: str | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    ink: bool = True

    def __post_init__(self) -> None:
        if self.query.ndim != 4:
            raise BadInput(f"query: expected (layer, head, token, size), got the shape {self.query.shape}.")
        layers, heads, _, size = self.query.shape
        tokens = self.prefix + self.rows * self.columns
        expected = {
            "picture": (self.rows, self.columns),
            **dict.fromkeys(("query", "key"), (layers, heads, tokens, size)),
            "value": (layers, heads, tokens, self.value.shape[-1]),
            **dict.fromkeys(("log_normaliser", "carried", "received"), (layers, heads, tokens)),
            "output": (layers, tokens, self.output.shape[-1]),
            **dict.fromkeys(OF_HEADS, (layers, heads)),
            "answers": (layers, len(self.classes)),
            "probabilities": (len(self.classes),),
        }
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape or str(array.dtype) != "float64":
                raise BadInput(f"{name}: expected float64 of the shape {shape}, got {array.dtype} of {array.shape}.")
        if len(self.names) != self.prefix:
            raise BadInput(f"names: expected {self.prefix}, one for each token that lies nowhere, got {self.names}.")


def packed(view: LayersView) -> bytes:
    """Return a view as the browser gets it."""
    arrays = ("picture", "background", *OF_TOKENS, "output", *OF_HEADS, "answers", "probabilities")
    header = {
        "layers": len(view.query),
        "rows": view.rows,
        "columns": view.columns,
        "prefix": view.prefix,
        "names": list(view.names),
        "even": dict(view.even),
        "classes": list(view.classes),
        "label": view.label,
        "origin": dict(view.origin),
        "ink": view.ink,
        "carried_signed": False,
        "logit": None,
        "boxes": None,
        "unit": "patch",
        "asked": None,
    }
    return pack(header, {name: getattr(view, name) for name in arrays})


layer_board = Viewed("layer_board", FIELDS)
"""Draw all heads of all layers."""

"""All heads of all layers at once, on one picture: the data for `frontend/layer_board/`, and the state of its view.

It is the viewer of `pixel_viewer.py` for one layer, beside a board of the maps of all layers. A view has the fields of
that viewer, and "layer", which counts from 0 as heads do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from attnviz.errors import BadInput
from attnviz.ui.components.url_view import Viewed
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views import attention
from attnviz.views.declared import Array, Axes, Payload
from attnviz.views.url_fields import Field, Fields

FIELDS = Fields(Field("layer", "number", 0), *(one for one in attention.FIELDS.fields if one.name != "map"))

DECLARED = (
    "layer", "layers", "answer", "probability", "query", "key", "head", "heads", "tokens", "score", "weight", "share",
    "value", "carried", "half",
)  # fmt: skip
"""What lessons can ask for; layers, rows, columns and heads count from 1."""

OF_TOKENS = ("query", "key", "value", "log_normaliser", "carried", "received")  # (layer, head, token, ...)


@dataclass(frozen=True, eq=False, kw_only=True)
class LayersView(Payload):
    """One picture, and what is needed to compute every weight of every layer.

    N tokens: `prefix` that lie nowhere, then rows x columns, row by row from the top left; the same for all layers.

    Args:
        picture: each patch's intensity, 0..1.
        background: the picture itself, of one or three colours.
        query, key, value: of each token, in each head of each layer.
        log_normaliser: log of the sum of exp(score) over all keys, for each query.
        carried: length of what a key would add to the projection if its weight were 1.
        received: mean weight over all queries.
        output: what comes out of each layer's attention.
        distance, entropy, nowhere: of each head, as of `attnviz.measures.vision_transformer.over_layers`.
        even: what each of these three would be if all keys got the same, by name.
        answers: probabilities if each layer were the last.
        layers: how many there are.
        rows, columns, prefix: of the tokens.
        names: what the tokens that lie nowhere are called.
        classes: the names of the answers.
        probabilities: the model's answer, 0..1.
        label: the true class, if it is known.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
        ink: whether the edge of the ink is drawn on the maps.
        carried_signed, logit, unit: what the viewer of one layer asks for besides.
    """

    picture: Annotated[Array, Axes("row column")]
    background: Annotated[Array, Axes("y x colour", ("uint8",))]
    query: Annotated[Array, Axes("layer head token size")]
    key: Annotated[Array, Axes("layer head token size")]
    value: Annotated[Array, Axes("layer head token number")]
    log_normaliser: Annotated[Array, Axes("layer head token")]
    carried: Annotated[Array, Axes("layer head token")]
    received: Annotated[Array, Axes("layer head token")]
    output: Annotated[Array, Axes("layer token feature")]
    distance: Annotated[Array, Axes("layer head")]
    entropy: Annotated[Array, Axes("layer head")]
    nowhere: Annotated[Array, Axes("layer head")]
    even: Mapping[str, float]
    answers: Annotated[Array, Axes("layer class")]
    layers: int
    rows: int
    columns: int
    prefix: int
    names: tuple[str, ...]
    classes: tuple[str, ...]
    probabilities: Annotated[Array, Axes("class")]
    label: str | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    ink: bool = True
    carried_signed: bool = False
    logit: float | None = None
    unit: str = "patch"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.names) != self.prefix:
            raise BadInput(f"names: expected {self.prefix}, one for each token that lies nowhere, got {self.names}.")

    def sizes(self) -> dict[str, int]:
        """Return the sizes that follow from the layers, the grid and the classes."""
        tokens = self.prefix + self.rows * self.columns
        sizes = {"row": self.rows, "column": self.columns, "token": tokens}
        return {**sizes, "layer": self.layers, "class": len(self.classes)}


layer_board = Viewed("layer_board", FIELDS)
"""Draw all heads of all layers."""

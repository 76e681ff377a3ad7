"""All heads of all layers at once, on one picture: the data for `frontend/layer_board/`, and the state of its view.

It is the viewer of `pixel_viewer.py` for one layer, next to a board with the maps of all layers. A view has the fields
of that viewer, and "layer", which counts from 0 as heads do.
"""

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
"""The values that lessons can use; layers, rows, columns and heads count from 1."""

OF_TOKENS = ("query", "key", "value", "log_normaliser", "carried", "received")  # (layer, head, token, ...)


@dataclass(frozen=True, eq=False, kw_only=True)
class LayersView(Payload):
    """One picture, and the data to compute every weight of every layer.

    N tokens: `prefix` without a position, then rows x columns, row by row from the top left; the same for all layers.

    Args:
        picture: The intensity of each patch, 0..1.
        background: The picture itself, with one or three colours.
        query, key, value: Of each token, in each head of each layer.
        log_normaliser: Log of the sum of exp(score) over all keys, for each query.
        carried: The length of the vector that a key would add to the projection if its weight were 1.
        received: The mean weight over all queries.
        output: The output of each layer's attention.
        distance, entropy, nowhere: Of each head; see `over_layers.by_layer`.
        even: Name -> the value of each of these three if all keys received the same weight.
        answers: The probabilities if each layer were the last.
        layers: The number of layers.
        rows, columns, prefix: The numbers of rows, columns and tokens without a position.
        names: The names of the tokens without a position.
        classes: The names of the answers.
        probabilities: The model's answer, 0..1.
        label: The true class, if known.
        origin: The software version, model, recipe, seed, digest and image, written into every export.
        ink: Whether the edge of the ink is drawn on the maps.
        carried_signed, logit, unit: Further data for the viewer of one layer.
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
            raise BadInput(f"names: expected {self.prefix}, one for each token without a position, got {self.names}.")

    def sizes(self) -> dict[str, int]:
        """Return the sizes determined by the layers, the grid and the classes."""
        tokens = self.prefix + self.rows * self.columns
        sizes = {"row": self.rows, "column": self.columns, "token": tokens}
        return {**sizes, "layer": self.layers, "class": len(self.classes)}


layer_board = Viewed("layer_board", FIELDS)
"""Draw all heads of all layers."""

"""Every stage of an element-wise attention network: the data for `frontend/stage_grid/`, and the state of its view.

The browser computes the stages from the input of the first layer and each layer's learnt parameters.

A *view* is a dictionary: "pixel" ([row, column], or None while nothing is locked), "layer", "stage" (the one of ALL
that is shown), "head" (a number or "mean"), "channel" (colour, red, green, blue), "scale" (map, all); the switches
"off" ([layer, head] of each head that is off), "eps" (None for the trained one), "skip" and "relevance" (learnt, mean,
one, other); and "inside", whether the arrays of the head are open. Its numbers count from 0, but from 1 in text that a
visitor reads, including the URL: `FIELDS` converts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind, dotted, numbers

STAGES = ("attended", "after_conv", "before_norm", "after_norm", "output")  # the columns of the paper's figures
ALL = ("relevance", "normed_relevance", *STAGES)
SWITCHES = ("relevance", "skip", "eps", "heads")

KINDS["heads"] = Kind(lambda word: numbers(word, 2), dotted)  # of [layer, head]

FIELDS = Fields(
    Field("pixel", "place"),
    Field("layer", "number", 0),
    Field("stage", "choice", STAGES[0], ALL),
    Field("head", "head", 0),
    Field("channel", "choice", "colour", ("colour", "red", "green", "blue")),
    Field("scale", "choice", "map", ("map", "all")),
    Field("off", "heads", []),
    Field("eps", "float"),
    Field("skip", "yes_no", True),
    Field("relevance", "choice", "learnt", ("learnt", "mean", "one", "other", "zero")),
    Field("inside", "yes_no", True),  # kept so that an old link still shows them; the page opens with them closed
)

DECLARED = (
    "answer", "probability", "answer_before", "probability_before", "pixel", "layer", "head", "cut", "gain",
)  # fmt: skip
"""The values that lessons can use: the answers now and before; the shown pixel, layer and head, from 1; the share of
the layer's values that ReLU sets to 0, and the ratio by which its relevance changes the strength of its input."""


def _narrow(arrays: dict[str, Array]) -> dict[str, Array]:
    """Return arrays in single precision, with half the bytes, if that is lossless, as it is for trained weights."""
    single = {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype == np.float64}
    return arrays | {name: array for name, array in single.items() if np.array_equal(array, arrays[name])}


class _Narrow(Payload):
    def to_wire(self, arrays: dict[str, Array]) -> dict[str, Array]:
        return _narrow(arrays)


@dataclass(frozen=True, eq=False)
class Norm(_Narrow):
    """The numbers that a trained batch normalisation uses, one per map; scale and shift are None if they are not
    learnt.
    """

    mean: Annotated[Array, Axes("map", FLOATS)]
    variance: Annotated[Array, Axes("map", FLOATS)]
    eps: float
    scale: Annotated[Array | None, Axes("map", FLOATS)] = None
    shift: Annotated[Array | None, Axes("map", FLOATS)] = None


@dataclass(frozen=True, eq=False)
class StageLayer(_Narrow):
    """One layer.

    Args:
        path: The layer's path in the model, such as "layers.0".
        convolution: The convolution, with an odd window.
        norm: The norm of the relevance, a number per head and channel; None if the relevance is multiplied by `factor`.
        factor: 1 leaves the relevance unchanged; rows times columns makes an even share 1.
        output_norm: The norm after the skip, or None.
        skip: Whether the layer's input is added to the output of the convolution.
        fixed: Normed relevance that replaces the computed one, or None.
        mean: Mean normed relevance over many pictures, for the switch, or None.
    """

    path: str
    x_weights: Annotated[Array, Axes("head channel row column", FLOATS)]
    y_weights: Annotated[Array, Axes("head channel row column", FLOATS)]
    convolution: Annotated[Array, Axes("channel map window window", FLOATS)]
    bias: Annotated[Array | None, Axes("channel", FLOATS)]
    norm: Norm | None = None
    factor: float = 1.0
    output_norm: Norm | None = None
    skip: bool = True
    fixed: Annotated[Array | None, Axes("head channel row column", FLOATS)] = None
    mean: Annotated[Array | None, Axes("head channel row column", FLOATS)] = None

    following = ("heads", "channels", "outputs", "rows", "columns", "kernel")

    def sizes(self) -> dict[str, int]:
        """Return the number of maps that the convolution takes."""
        return {"map": self.x_weights.shape[0] * self.x_weights.shape[1]}

    def facts(self) -> dict[str, Any]:
        """Return the sizes of the arrays."""
        sizes = (*self.x_weights.shape[:2], self.convolution.shape[0], *self.x_weights.shape[2:])
        return dict(zip(self.following, (*sizes, self.convolution.shape[-1]), strict=True))


@dataclass(frozen=True, eq=False)
class Other(_Narrow):
    """A picture whose relevance can be borrowed: its number, and its input to the first layer."""

    number: int
    input: Annotated[Array, Axes("channel row column", FLOATS)]


@dataclass(frozen=True, eq=False)
class StageView(_Narrow):
    """One picture and all the data needed to compute its stages.

    Args:
        picture: The picture, for drawing.
        input: The input of the first layer.
        layers: The layers in the order of the forward pass.
        block: The side of the block of pixels that became channels (pixel-unshuffle); 1 without it.
        classes: The names of the answers.
        logits: The logits of the trained model.
        label: The picture's true class, if known.
        checkpoint: The key of the net for the live channel; None if the answer does not follow the switches.
        derived: The derived value by which the live channel computes the stages with "eps", "skip" and "relevance".
        asked: The example, as named in requests.
        ink: Whether the picture is a drawing, the edge of whose ink is then drawn on every map.
        origin: The software version, model, recipe, seed, digest and image, written into every export.

    Raises:
        BadInput: There is no layer, or the shapes of the arrays do not match.
    """

    picture: Annotated[Array, Axes("y x colour", ("uint8",))]
    input: Annotated[Array, Axes("channel row column", FLOATS)]
    layers: tuple[StageLayer, ...]
    block: int
    classes: tuple[str, ...]
    logits: Annotated[Array, Axes("logit", FLOATS)]
    probabilities: Annotated[Array, Axes("class", FLOATS)]
    label: str | None
    checkpoint: str | None
    asked: Mapping[str, Any]
    derived: str = ""
    ink: bool = False
    other: Other | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.layers:
            raise BadInput("layers: expected at least one, got none.")
        super().__post_init__()
        if any(layer.convolution.shape[2] % 2 == 0 for layer in self.layers):
            raise BadInput("layers: expected convolutions of an odd window.")
        if any(layer.x_weights.shape != self.layers[0].x_weights.shape for layer in self.layers):
            raise BadInput(f"layers: expected arrays of the shape {self.layers[0].x_weights.shape} in all of them.")

    def sizes(self) -> dict[str, int]:
        """Return the sizes of the first layer's input."""
        return dict(zip(("channel", "row", "column"), self.layers[0].x_weights.shape[1:], strict=True))


def stage_grid(
    view: StageView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    columns: Sequence[str] = STAGES,
    switches: Sequence[str] = (),
    inside: bool = True,
    saves: bool = True,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the stages, of ALL, that `columns` names, for each layer.

    `switches` are the SWITCHES to offer; `inside` shows the arrays and softmaxes of the chosen head below; `saves` adds
    the buttons that save and share.
    """
    return url_view.draw(
        "stage_grid",
        view if isinstance(view, bytes) else view.packed(),
        FIELDS,
        key=key,
        state=state,
        on_change=on_change,
        columns=[*columns],
        switches=[*switches],
        inside=inside,
        saves=saves,
    )

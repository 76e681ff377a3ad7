"""Every stage of an element-wise attention network: the data for `frontend/stage_grid/`, and the state of its view.

The browser computes the stages itself, from the input of the first layer and from what each layer has learnt.

A *view* is a dictionary: "pixel" ([row, column], or None while nothing is locked), "layer", "stage" (one of ALL, which
is looked at), "head" (a number or "mean"), "channel" (colour, red, green, blue), "scale" (map, all), and what is
switched: "off" ([layer, head] of each head that is off), "eps" (None: the trained one), "skip", "relevance" (learnt,
mean, one, other). Numbers count from 0 in it; in what a person reads, the URL included, they count from 1: `FIELDS`
converts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack
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
)

DECLARED = (
    "answer", "probability", "answer_before", "probability_before", "pixel", "layer", "head", "cut", "gain",
)  # fmt: skip
"""What lessons can ask for: the answers now and before; the pixel, the layer and the head that are looked at, from 1;
the share of the layer's values that ReLU sets to 0, and what its relevance leaves of the strength of its input."""


@dataclass(frozen=True, eq=False)
class Norm:
    """What a batch normalisation uses once it is trained: one number per map.

    Args:
        mean, variance: (map,)
        eps: added to the variance.
        scale, shift: (map,), or None where nothing is learnt.
    """

    mean: np.ndarray
    variance: np.ndarray
    eps: float
    scale: np.ndarray | None = None
    shift: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class StageLayer:
    """One layer.

    Args:
        path: of the layer in the model, such as "layers.0".
        x_weights, y_weights: (head, channel, row, column)
        convolution: (channel, head and channel, row, column) of an odd window.
        bias: (channel,), or None.
        norm: of the relevance, a number per head and channel; None where it is multiplied with `factor`.
        factor: 1 leaves the relevance as it is; rows times columns makes an even share 1.
        output_norm: after the skip, or None.
        skip: whether the input of the layer is added to what comes out of the convolution.
        fixed: (head, channel, row, column) normed relevance that stands in for the computed one, or None.
        mean: (head, channel, row, column) mean normed relevance over many pictures, for the switch; or None.
    """

    path: str
    x_weights: np.ndarray
    y_weights: np.ndarray
    convolution: np.ndarray
    bias: np.ndarray | None
    norm: Norm | None = None
    factor: float = 1.0
    output_norm: Norm | None = None
    skip: bool = True
    fixed: np.ndarray | None = None
    mean: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class StageView:
    """One picture and all that is needed to compute every stage of it.

    Args:
        picture: uint8 (row, column, 1 or 3), as it is drawn.
        input: (channel, row, column) of the first layer.
        layers: in the order of the forward pass.
        block: side of the block of pixels that became channels (pixel-unshuffle); 1 where none did.
        classes: the names of the answers.
        logits: (column,) of the trained model.
        probabilities: (class,)
        label: what the picture shows, if it is known.
        checkpoint: the key of the net that the live channel asks; None: the answer does not follow the switches.
        derived: the derived value by which the live channel computes the stages with "eps", "skip" and "relevance".
        asked: the example that it is asked about, as a request names it.
        ink: whether the picture is a drawing: the edge of its ink then lies on every map.
        other: number and input (channel, row, column) of a picture whose relevance can be borrowed.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: np.ndarray
    input: np.ndarray
    layers: tuple[StageLayer, ...]
    block: int
    classes: tuple[str, ...]
    logits: np.ndarray
    probabilities: np.ndarray
    label: str | None
    checkpoint: str | None
    asked: Mapping[str, Any]
    derived: str = ""
    ink: bool = False
    other: tuple[int, np.ndarray] | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.layers:
            raise BadInput("layers: expected at least one, got none.")
        shape = self.layers[0].x_weights.shape
        if self.input.shape != shape[1:]:
            raise BadInput(
                f"input: expected the shape {shape[1:]} of the first layer's arrays, got {self.input.shape}."
            )
        for layer in self.layers:
            maps = layer.x_weights.shape[0] * layer.x_weights.shape[1]
            if layer.x_weights.shape != shape or layer.y_weights.shape != shape:
                raise BadInput(f"{layer.path}: expected arrays of {shape}, got {layer.x_weights.shape}.")
            if layer.convolution.shape[:2] != (shape[1], maps) or layer.convolution.shape[2] % 2 == 0:
                found = layer.convolution.shape
                raise BadInput(f"{layer.path}: expected a convolution of {maps} to {shape[1]} maps, got {found}.")


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
    """Draw the stages.

    Args:
        columns: which stages of each layer are drawn, of ALL.
        switches: what can be switched, of SWITCHES.
        inside: whether the arrays and softmaxes of the chosen head are shown below.
        saves: whether the component has the buttons that save and share.
    """
    return url_view.draw(
        "stage_grid",
        view if isinstance(view, bytes) else packed(view),
        FIELDS,
        key=key,
        state=state,
        on_change=on_change,
        columns=[*columns],
        switches=[*switches],
        inside=inside,
        saves=saves,
    )


def packed(view: StageView) -> bytes:
    """Return a view as the browser gets it."""
    header = {
        "block": view.block,
        "classes": [*view.classes],
        "label": view.label,
        "checkpoint": view.checkpoint,
        "derived": view.derived,
        "ask": dict(view.asked),
        "ink": view.ink,
        "other": None if view.other is None else {"number": view.other[0]},
        "origin": dict(view.origin),
        "layers": [_described(layer) for layer in view.layers],
    }
    arrays = {
        "picture": view.picture,
        "input": view.input,
        "logits": view.logits,
        "probabilities": view.probabilities,
        **({} if view.other is None else {"other": view.other[1]}),
        **{f"{place}.{name}": array for place, layer in enumerate(view.layers) for name, array in _arrays(layer)},
    }
    return pack(header, {name: _narrow(array) for name, array in arrays.items()})


def _described(layer: StageLayer) -> dict[str, Any]:
    heads, channels, rows, columns = layer.x_weights.shape
    return {
        "path": layer.path,
        "heads": heads,
        "channels": channels,
        "outputs": layer.convolution.shape[0],
        "rows": rows,
        "columns": columns,
        "kernel": layer.convolution.shape[-1],
        "factor": layer.factor,
        "skip": layer.skip,
        "eps": None if layer.norm is None else layer.norm.eps,
        "output_eps": None if layer.output_norm is None else layer.output_norm.eps,
    }


def _arrays(layer: StageLayer) -> list[tuple[str, np.ndarray]]:
    found = {
        "x_weights": layer.x_weights,
        "y_weights": layer.y_weights,
        "conv": layer.convolution,
        "bias": layer.bias,
        "fixed": layer.fixed,
        "mean": layer.mean,
    }
    for name, norm in (("norm", layer.norm), ("output_norm", layer.output_norm)):
        if norm is not None:
            parts = {"mean": norm.mean, "variance": norm.variance, "scale": norm.scale, "shift": norm.shift}
            found |= {f"{name}.{part}": array for part, array in parts.items()}
    return [(name, array) for name, array in found.items() if array is not None]


def _narrow(array: np.ndarray) -> np.ndarray:
    """Return numbers in single precision where that loses nothing, as for trained weights: half the bytes."""
    if array.dtype != np.float64:
        return array
    single = array.astype(np.float32)
    return single if np.array_equal(single.astype(np.float64), array) else array

"""A strip, the text that a net reads from it step by step, and where each step looks: data for `frontend/alignment/`.

The browser gets the weights of all layers and heads, for the net's own text and for the right one, so that it can show
another step, layer or head without a request. Moving weights by hand and removing the mask are requests to the live
channel.

A *view* is a dictionary: "at" (the step of the answer, from 0; lessons use the word "step"), "told" (the text that each
step receives: "own" or "right"), "layer" (the name of a layer in the data; "" for the first), "head" (a number from 0,
or "mean"), "column" (the strip's column whose row is shown, if the layer's queries are columns), "mask" (whether later
steps are hidden), "moved" (pairs of a step and the number of columns by which its weights are moved to the right) and
"measure" (of the curves).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind

TOLD = ("own", "right")
"""The text that each step receives: the net's own predictions, or the right text (teacher forcing)."""


MEASURES = ("digits", "exact")
"""The accuracy that the curves show: of single digits, or of whole strips."""


def read_moved(word: str) -> list[list[int]] | None:
    """Return the pairs (step from 0, columns) that a string such as "3.8,5.-4" encodes, with steps from 1."""
    if not re.fullmatch(r"\d{1,3}\.-?\d{1,3}(,\d{1,3}\.-?\d{1,3})*", word, re.ASCII):
        return None
    pairs = [part.split(".") for part in word.split(",")]
    return [[int(step) - 1, int(by)] for step, by in pairs]


def write_moved(moved: Sequence[Sequence[int]]) -> str:
    """Encode pairs as a string that `read_moved` reads."""
    return ",".join(f"{step + 1}.{by}" for step, by in moved)


KINDS["moved_weights"] = Kind(read_moved, write_moved)

FIELDS = Fields(
    Field("at", "number", 0),
    Field("told", "choice", TOLD[0], TOLD),
    Field("layer", "text", ""),
    Field("head", "head", "mean"),
    Field("column", "number", 0),
    Field("mask", "yes_no", True),
    Field("moved", "moved_weights", []),
    Field("measure", "choice", MEASURES[0], MEASURES),
)

DECLARED = (
    "answer", "probability", "answer_before", "probability_before", "right", "step", "steps", "digit",
    "weight_on_digit", "weight_on_right", "moved", "told", "mask", "layer", "text", "right_text", "digits",
    "digits_right",
)  # fmt: skip
"""The values that lessons can use: the chosen step's symbol now and before, and the right one; the digit, from 1, with
most of its weight, and the shares of that and the right digit; the columns by which its weights are moved; the text
that steps receive, the mask ("on" or "off") and the layer; the text, the right text, and how many digits are right.
"""


@dataclass(frozen=True, eq=False)
class Text(Payload):
    """A net's predictions for a strip: probabilities, which sum to 1 at each step, and the symbol `before` that each
    step receives, where the number of classes stands for the start.
    """

    probabilities: Annotated[Array, Axes("step class", FLOATS, sent="float32")]
    before: Sequence[int]


@dataclass(frozen=True, eq=False)
class Weights(Payload):
    """The attention of one layer's queries, or a vector for each step.

    Args:
        name: The layer's name in the URL.
        title: The title that visitors read.
        path: The layer's path, to which the name of a tap is added.
        queries: The meaning of the rows: the steps of the text, or the columns of the strip.
        keys: The meaning of the columns: the columns of the strip, the steps of the text that was received, or the
            numbers of a vector, which are not weights.
        own: The weights while the net receives its own text; None if the browser requests them from the live channel.
        right: The weights while it receives the right text; None if they are the same, or unknown.
        learnt: Whether the weights come from scores; False if all are equal by construction.
        of: "weight", or "gradient" for shares of the gradient of each prediction.
    """

    name: str
    title: str
    path: str
    queries: Literal["steps", "columns"]
    keys: Literal["columns", "steps", "numbers"]
    own: Annotated[Array | None, Axes("head query key", FLOATS, sent="float32")]
    right: Annotated[Array | None, Axes("head right_query right_key", FLOATS, sent="float32")] = None
    learnt: bool = True
    of: Literal["weight", "gradient"] = "weight"


@dataclass(frozen=True)
class Curve(Payload):
    """A model's accuracy by the length of its strips.

    Args:
        control: Whether the model is a control.
        digits: The share of right digits at each length, mean over seeds; `digits_range` holds the lowest and highest.
        exact: The share of strips without an error; `exact_range` holds the lowest and highest.
        distance: The insertions, deletions and changes per digit that would correct the output; empty if not measured.
        stops: The share of texts that end after the right number of digits; empty if not measured.
        seeds: The number of trainings that the means are over.
    """

    key: str
    title: str
    control: bool
    lengths: Sequence[int]
    digits: Sequence[float]
    exact: Sequence[float]
    digits_range: Sequence[tuple[float, float]]
    exact_range: Sequence[tuple[float, float]]
    distance: Sequence[float] = ()
    stops: Sequence[float] = ()
    seeds: int = 1


@dataclass(frozen=True, eq=False)
class AlignmentView(Payload):
    """A strip and the text that a net reads from it.

    Args:
        digits: The number of digits on the strip.
        pitch: The pixels from one column of features to the next; the first column is centred on the first pixel.
        classes: The names of the symbols; the last one ends a text.
        right: The right text as symbols, including the one that ends it; None if unknown.
        reads: For each step but the last, the index of the digit that it should predict; None if unknown.
        own, told: The net's predictions while it receives its own text, and the right one.
        layers: The layers with attention; the first is shown initially.
        trained: The number of digits on the longest strip that the net was trained on; None if unknown.
        kind: The kind of net, which selects the component's wording: "additive", "uniform", "none" or "transformer".
        curves: The curves of this net and others.
        checkpoint: The key of the net for the live channel.
        asked: The example, as named in requests.
        origin: The software version, model, recipe, seed, digest and image, written into every export.

    Raises:
        BadInput: The picture's shape does not match a strip of this number of digits.
    """

    picture: Annotated[Array, Axes("row column colour", ("uint8",))]
    digits: int
    pitch: int
    classes: tuple[str, ...]
    right: Sequence[int] | None
    reads: Sequence[int] | None
    own: Text
    told: Text | None
    layers: tuple[Weights, ...]
    trained: int | None
    kind: str
    curves: tuple[Curve, ...]
    checkpoint: str
    asked: Mapping[str, Any]
    origin: Mapping[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.picture.ndim != 3 or self.digits < 1 or self.picture.shape[1] % self.digits:
            raise BadInput(f"A strip of {self.digits} digits cannot have the shape {self.picture.shape}.")


alignment = url_view.Viewed("alignment", FIELDS)
"""Draws a strip, the text read from it, and where each step looks, from a packed view."""

"""A strip, what a net reads of it step by step, and where each step looks: the data for `frontend/alignment/`.

The browser gets the weights of all layers and heads, for the net's own text and for the right one, so that it shows
another step, layer or head without asking. Weights that are moved by hand, and a mask that is taken off, are asked of
the live channel.

A *view* is a dictionary: "at" (the step of the answer, from 0; "step" is the word of lessons), "told" (which text each
step receives: "own" or "right"), "layer" (a name of the layers that the data have; "" for the first), "head" (a number
from 0, or "mean"), "column" (the column of the strip whose row is shown, where a layer has rows for columns), "mask"
(whether later steps are hidden), "moved" (pairs of a step and by how many columns its weights are moved to the right)
and "measure" (of the curves).
"""

from __future__ import annotations

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
"""Which text each step receives: the predictions of the net itself, or the right text (teacher forcing)."""


MEASURES = ("digits", "exact")
"""Which accuracy the curves show: of single digits, or of whole strips."""


def read_moved(word: str) -> list[list[int]] | None:
    """Return the pairs that a word such as "3.8,5.-4" means: a step, which the word counts from 1, and columns."""
    if not re.fullmatch(r"\d{1,3}\.-?\d{1,3}(,\d{1,3}\.-?\d{1,3})*", word, re.ASCII):
        return None
    pairs = [part.split(".") for part in word.split(",")]
    return [[int(step) - 1, int(by)] for step, by in pairs]


def write_moved(moved: Sequence[Sequence[int]]) -> str:
    """Return the word of several pairs, as `read_moved` reads it."""
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
"""What lessons can ask for: of the chosen step the symbol now and before, and the right one; the digit, from 1, on
which most of its weight lies, with its share and that of the right digit; by how many columns its weights are moved;
what the steps receive, "on" or "off" for the mask, and the name of the layer; the text, the right text, how many
digits the strip has, and how many are right."""


@dataclass(frozen=True, eq=False)
class Text(Payload):
    """What a net predicts of a strip: probabilities, which sum to 1 at each step, and the symbol `before` that each
    step receives; the number of classes stands for the start.
    """

    probabilities: Annotated[Array, Axes("step class", FLOATS, sent="float32")]
    before: Sequence[int]


@dataclass(frozen=True, eq=False)
class Weights(Payload):
    """Where the queries of one layer look, or a vector for each step.

    Args:
        name: in the URL.
        title: for people.
        path: of the layer, to which the name of a tap is added.
        queries: what has a row: the steps of the text, or the columns of the strip.
        keys: what has a column: the columns of the strip, the steps of the text (what each received), or the numbers of
            a vector, which are no weights.
        own: while the net receives its own text; None for what the browser asks the live channel.
        right: the same while it receives the right text; None where that makes no difference, or is not known.
        learnt: whether the weights come from scores; False where all are equal by construction.
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
    """How accurate a model is by the length of its strips.

    Args:
        control: whether it is there to be compared with.
        digits: the share of right digits at each length, mean over seeds; `digits_range` the lowest and highest.
        exact: the share of strips without an error; `exact_range` likewise.
        distance: insertions, deletions and changes per digit that would mend what is output; empty if not measured.
        stops: the share of texts that end after the right number of digits; empty if not measured.
        seeds: how many trainings the means are over.
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
    """A strip and what a net reads of it.

    Args:
        digits: how many there are on it.
        pitch: pixels from one column of features to the next; the middle of the first one is at the first pixel.
        classes: the names of the symbols; the last one ends a text.
        right: the right text as symbols, with the one that ends it; None where it is not known.
        reads: for each step before the last, the place of the digit that it should predict, from 0; None if unknown.
        own, told: the predictions of the net while it receives its own text, and the right one.
        layers: that look, the first one as shown at first.
        trained: digits of the longest strip that the net was trained on; None if that is not known.
        kind: of the net, in a word that the words of the component know: "additive", "uniform", "none", "transformer".
        curves: of this net and others.
        checkpoint: the key of the net that the live channel asks.
        asked: the example, as a request names it.
        origin: software version, model, recipe, seed, digest, image: stands in every export.

    Raises:
        BadInput: the picture is no strip of so many digits.
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
"""Draws a strip, what is read of it, and where each step looks, from a packed view."""

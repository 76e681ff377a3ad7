"""Gates of channels as bars that can be turned by hand: the data for `frontend/gates/`, and its view's state.

The gates, and the numbers from which each was computed, come with the data. A gate that is turned, and gates that are
replaced all together, are edits of a request to the live channel, which brings the answer and the gates of the layers
behind.

A *view* is a dictionary: "layer" and "channel" (of the gate whose arithmetic is shown; no channel means the one that is
farthest from its mean), "gates" (one of SETS: what all gates are), "turned" ([layer, channel, percent] of each gate
that is turned by hand). Numbers count from 0 in it, and from 1 in what a person reads, the URL included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind

SETS = ("own", "one", "mean", "other")
"""What all gates are: those that the net computes, 1, their mean over many pictures, those of another picture."""


def read_turns(word: str) -> list[list[int]] | None:
    """Return the [layer, channel, percent] that a word such as "1.5-25,2.3-100" means; None for anything else."""
    one = r"(\d{1,3})\.(\d{1,4})-(\d{1,3})"
    if not re.fullmatch(f"{one}(,{one})*", word, re.ASCII):
        return None
    return [[int(layer) - 1, int(channel) - 1, int(percent)] for layer, channel, percent in re.findall(one, word)]


def write_turns(turns: Iterable[Sequence[int]]) -> str:
    """Return the word of gates that are turned, as `read_turns` reads it."""
    return ",".join(f"{layer + 1}.{channel + 1}-{percent}" for layer, channel, percent in turns)


KINDS["turns"] = Kind(read_turns, write_turns)

FIELDS = Fields(
    Field("layer", "number", 0),
    Field("channel", "number"),
    Field("gates", "choice", "own", SETS),
    Field("turned", "turns", []),
)

DECLARED = (
    "answer", "probability", "answer_before", "probability_before", "block", "blocks", "channel", "channels", "gate",
    "mean", "squeezed", "score", "turned", "gates",
)  # fmt: skip
"""What lessons can ask for: the answers now and before, and of the shown channel its gate, the mean of that over many
pictures, and what it is computed from; how many gates are turned by hand, and which are in place of the others."""


@dataclass(frozen=True, eq=False)
class GateTap(Payload):
    """A tap of gates, by its path, and what else they may be: their mean over many pictures, and those of another
    picture, both in its shape without pictures. The browser only sends them back.
    """

    address: str
    mean: Annotated[Array, Axes("...", FLOATS, sent="float32")]
    other: Annotated[Array | None, Axes("...", FLOATS, sent="float32")] = None


@dataclass(frozen=True, eq=False)
class GatesOfLayer(Payload):
    """The gates of one layer on one picture, what they were computed from, and what they do over many pictures.

    Args:
        title: of the layer, for people.
        form: "gate": the factor of a channel is its gate; "one plus": it is 1 + its gate.
        tap: of the gates of channels, whose value may vary over places too.
        gate: its mean over places, 0..1.
        mean, lowest, highest: of the gates of many pictures, each a mean over places.
        kinds: of each channel: "varies", "constant" or "always open".
        squeezed: means of the maps.
        squeezed_max: their maxima; None where these play no part.
        reduced: the narrow layer; where maxima play a part, the sum of the one from means and that from maxima.
        excite, shift: a gate's score is excite @ reduced + shift.
        shift_is: what the shift is, for people: "the bias".
        space: the gates of places, or the scores of places; None where there are none.
        space_is: "gate": a factor of its own; "score": it is added to the score of the channel.
        space_tap: of the gates of places that can be replaced; None where there are none.
    """

    title: str
    path: str
    form: Literal["gate", "one plus"]
    tap: GateTap
    gate: Annotated[Array, Axes("channel", FLOATS, sent="float64")]
    mean: Annotated[Array, Axes("channel", FLOATS, sent="float64")]
    lowest: Annotated[Array, Axes("channel", FLOATS, sent="float64")]
    highest: Annotated[Array, Axes("channel", FLOATS, sent="float64")]
    kinds: Sequence[str]
    squeezed: Annotated[Array, Axes("channel", FLOATS, sent="float64")]
    squeezed_max: Annotated[Array | None, Axes("channel", FLOATS, sent="float64")]
    reduced: Annotated[Array, Axes("unit", FLOATS, sent="float64")]
    excite: Annotated[Array, Axes("channel unit", FLOATS, sent="float64")]
    shift: Annotated[Array, Axes("channel", FLOATS, sent="float64")]
    shift_is: str
    space: Annotated[Array | None, Axes("row column", FLOATS, sent="float64")] = None
    space_is: str = ""
    space_tap: GateTap | None = None

    def sizes(self) -> dict[str, int]:
        """Return how many gates there are."""
        return {"channel": len(self.kinds)}


@dataclass(frozen=True, eq=False)
class GatesView(Payload):
    """A picture, the gates of a net on it, and its answer.

    Args:
        ink: whether it is ink on paper, and not a photograph.
        layers: in the order of the forward pass.
        classes: the names of the answers.
        label: what the picture shows.
        many: over which pictures means are taken, in words.
        other: which other picture's gates there are, in words; None for none.
        checkpoint: the key of the net that the live channel asks.
        asked: the example, as a request names it.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: Annotated[Array, Axes("row column colour", ("uint8",))]
    ink: bool
    layers: tuple[GatesOfLayer, ...]
    classes: tuple[str, ...]
    label: str | None
    logits: Annotated[Array, Axes("logit", FLOATS, sent="float32")]
    probabilities: Annotated[Array, Axes("class", FLOATS, sent="float32")]
    many: str
    other: str | None
    checkpoint: str
    asked: Mapping[str, Any]
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


gates = url_view.Viewed("gates", FIELDS)
"""Draws the gates, from a packed view."""

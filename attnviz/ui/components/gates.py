"""Channel gates as bars that can be changed by hand: the data for `frontend/gates/`, and the state of its view.

The data include the gates and the numbers from which each was computed. Changing one gate, or replacing all gates, is
an edit in a request to the live channel, which returns the answer and the gates of the later layers.

A *view* is a dictionary: "layer" and "channel" (of the gate whose arithmetic is shown; without a channel, the gate
farthest from its mean), "gates" (one of SETS, the source of all gates) and "turned" ([layer, channel, percent] of each
gate changed by hand). Its numbers count from 0, but from 1 in text that a visitor reads, including the URL.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind

SETS = ("own", "one", "mean", "other")
"""The source of all gates: computed by the net, 1, the mean over many pictures, or another picture's gates."""


def read_turns(word: str) -> list[list[int]] | None:
    """Return the [layer, channel, percent] that a string such as "1.5-25,2.3-100" encodes, or None if it is invalid."""
    one = r"(\d{1,3})\.(\d{1,4})-(\d{1,3})"
    if not re.fullmatch(f"{one}(,{one})*", word, re.ASCII):
        return None
    return [[int(layer) - 1, int(channel) - 1, int(percent)] for layer, channel, percent in re.findall(one, word)]


def write_turns(turns: Iterable[Sequence[int]]) -> str:
    """Encode the changed gates as a string that `read_turns` reads."""
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
"""The values that lessons can use: the answers now and before; the shown channel's gate, its mean over many pictures,
and its inputs; the number of gates changed by hand, and the source of the others."""


@dataclass(frozen=True, eq=False)
class GateTap(Payload):
    """A tap of gates, by its path, with two replacements that the browser only sends back: the gates' mean over many
    pictures, and another picture's gates, both in the tap's shape without pictures.
    """

    address: str
    mean: Annotated[Array, Axes("...", FLOATS, sent="float32")]
    other: Annotated[Array | None, Axes("...", FLOATS, sent="float32")] = None


@dataclass(frozen=True, eq=False)
class GatesOfLayer(Payload):
    """The gates of one layer on one picture, the values they were computed from, and their statistics over many
    pictures.

    Args:
        title: The layer's title for visitors.
        form: "gate" if a channel is multiplied by its gate; "one plus" if by 1 + its gate.
        tap: The tap of the channel gates, whose value may also vary over positions.
        gate: The gate of each channel, averaged over positions, 0..1.
        mean, lowest, highest: Of the gates of many pictures, each averaged over positions.
        kinds: The kind of each channel: "varies", "constant" or "always open".
        squeezed: The means of the maps.
        squeezed_max: Their maxima; None if the layer does not use them.
        reduced: The values of the narrow layer; if maxima are used, the sum of those from means and from maxima.
        excite, shift: A gate's score is excite @ reduced + shift.
        shift_is: The name of the shift for visitors: "the bias".
        space: The spatial gates, or the spatial scores; None if there are none.
        space_is: "gate" for a factor of its own; "score" if it is added to the channel's score.
        space_tap: The tap of the spatial gates, if they can be replaced; None otherwise.
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
        """Return the number of gates."""
        return {"channel": len(self.kinds)}


@dataclass(frozen=True, eq=False)
class GatesView(Payload):
    """A picture, the gates of a net on it, and its answer.

    Args:
        ink: Whether the picture is ink on paper rather than a photograph.
        layers: The layers in the order of the forward pass.
        classes: The names of the answers.
        label: The picture's true class.
        many: The pictures that means are taken over, in words.
        other: The other picture whose gates can be used, in words; None if there is none.
        checkpoint: The key of the net for the live channel.
        asked: The example, as named in requests.
        origin: The software version, model, recipe, seed, digest and image, written into every export.
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

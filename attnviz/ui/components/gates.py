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
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack
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
class GateTap:
    """A tap of gates, and what else they may be.

    Args:
        address: its tap path.
        mean: over many pictures, in the shape of the tap without its pictures.
        other: of another picture.
    """

    address: str
    mean: np.ndarray
    other: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class GatesOfLayer:
    """The gates of one layer on one picture, what they were computed from, and what they do over many pictures.

    Args:
        title: of the layer, for people.
        path: of the layer.
        form: "gate": the factor of a channel is its gate; "one plus": it is 1 + its gate.
        tap: of the gates of channels, whose value may vary over places too.
        gate: (channel,) its mean over places, 0..1.
        many: (picture, channel) gates of many pictures, mean over places.
        kinds: of each channel: "varies", "constant" or "always open".
        squeezed: (channel,) means of the maps.
        squeezed_max: (channel,) their maxima; None where these play no part.
        reduced: (unit,) the narrow layer; where maxima play a part, the sum of the one from means and that from maxima.
        excite, shift: (channel, unit) and (channel,): a gate's score is excite @ reduced + shift.
        shift_is: what the shift is, for people: "the bias".
        space: the gates of places, or the scores of places; None where there are none.
        space_is: "gate": a factor of its own; "score": it is added to the score of the channel.
        space_tap: of the gates of places that can be replaced; None where there are none.
    """

    title: str
    path: str
    form: str
    tap: GateTap
    gate: np.ndarray
    many: np.ndarray
    kinds: Sequence[str]
    squeezed: np.ndarray
    squeezed_max: np.ndarray | None
    reduced: np.ndarray
    excite: np.ndarray
    shift: np.ndarray
    shift_is: str
    space: np.ndarray | None = None
    space_is: str = ""
    space_tap: GateTap | None = None

    def __post_init__(self) -> None:
        channels, units = self.excite.shape
        found = (self.gate.shape, self.many.shape[1:], self.squeezed.shape, self.shift.shape, (len(self.kinds),))
        if set(found) != {(channels,)} or self.reduced.shape != (units,):
            raise BadInput(f"{self.path}: expected {channels} gates from {units} units, got {found}.")


@dataclass(frozen=True, eq=False)
class GatesView:
    """A picture, the gates of a net on it, and its answer.

    Args:
        picture: uint8 (row, column, 1 or 3).
        ink: whether it is ink on paper, and not a photograph.
        layers: in the order of the forward pass.
        classes: the names of the answers.
        label: what the picture shows.
        logits, probabilities: the answer.
        many: over which pictures means are taken, in words.
        other: which other picture's gates there are, in words; None for none.
        checkpoint: the key of the net that the live channel asks.
        asked: the example, as a request names it.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: np.ndarray
    ink: bool
    layers: tuple[GatesOfLayer, ...]
    classes: tuple[str, ...]
    label: str | None
    logits: np.ndarray
    probabilities: np.ndarray
    many: str
    other: str | None
    checkpoint: str
    asked: Mapping[str, Any]
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


gates = url_view.Viewed("gates", FIELDS)
"""Draws the gates, from what `packed` returned."""


def packed(view: GatesView) -> bytes:
    """Return a view as the browser gets it."""
    header = {
        "layers": [_described(layer) for layer in view.layers],
        "ink": view.ink,
        "classes": list(view.classes),
        "label": view.label,
        "many": view.many,
        "other": view.other,
        "checkpoint": view.checkpoint,
        "picture": dict(view.asked),
        "origin": dict(view.origin),
    }
    arrays = {
        "picture": view.picture,
        "logits": view.logits.astype(np.float32),
        "probabilities": view.probabilities.astype(np.float32),
    }
    for place, layer in enumerate(view.layers):
        arrays |= {f"{place}.{name}": values for name, values in _arrays(layer).items() if values is not None}
    return pack(header, arrays)


def _described(layer: GatesOfLayer) -> dict[str, Any]:
    return {
        "title": layer.title,
        "path": layer.path,
        "form": layer.form,
        "tap": layer.tap.address,
        "spaceTap": None if layer.space_tap is None else layer.space_tap.address,
        "spaceIs": layer.space_is,
        "shiftIs": layer.shift_is,
        "kinds": list(layer.kinds),
    }


def _arrays(layer: GatesOfLayer) -> dict[str, np.ndarray | None]:
    """Return what the browser computes from in double precision, and what it only sends back in single."""
    exact = {
        "gate": layer.gate,
        "mean": layer.many.mean(0),
        "lowest": layer.many.min(0),
        "highest": layer.many.max(0),
        "squeezed": layer.squeezed,
        "squeezed_max": layer.squeezed_max,
        "reduced": layer.reduced,
        "excite": layer.excite,
        "shift": layer.shift,
        "space": layer.space,
    }
    sent = {"put_mean": layer.tap.mean, "put_other": layer.tap.other}
    if layer.space_tap is not None:
        sent |= {"put_space_mean": layer.space_tap.mean, "put_space_other": layer.space_tap.other}
    return {
        **{name: None if values is None else values.astype(np.float64) for name, values in exact.items()},
        **{name: None if values is None else values.astype(np.float32) for name, values in sent.items()},
    }

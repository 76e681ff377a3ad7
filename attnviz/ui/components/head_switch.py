"""Heads that can be switched off or made uniform: the data for `frontend/head_switch/`, and the heads' states.

The browser requests the new answer from the live channel. If the connection is lost, the page's next run delivers it:
the states are written into the URL, from which the page computes the same answer.

Heads count from 0 here, and from 1 in the URL: `off=3,7&uniform=2`, three and more in a row as `off=1-24`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components.component import component
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import header_of, pack, with_header

STATES = ("on", "off", "uniform")
EDITED = ("off", "uniform")  # the states stored in the URL

DECLARED = ("answer", "probability", "answer_before", "probability_before", "off", "uniform", "heads")
"""The values that lessons can use: the answers now and with all heads on, and counts of heads off, uniform and all."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A model's answer to one picture: logits (column,) and probabilities (class,), float32 as on the live channel."""

    logits: np.ndarray
    probabilities: np.ndarray


@dataclass(frozen=True, eq=False)
class SwitchView:
    """The heads of one layer on one picture.

    Args:
        received: (head, row, column) mean weight that each pixel receives from all.
        entropy: (head,) in bits.
        tokens: The number of tokens in the attention.
        picture: (row, column) intensities 0..1; the edge of its ink is drawn.
        classes: The names of the answers.
        label: The picture's true class.
        path: The path of the tap where heads are mixed, such as "attention.mixed".
        checkpoint: The key of the net for the live channel.
        asked: The example, as named in requests.
        before: The answer with all heads switched on.
        now: The answer with the states that the URL names.
        origin: The software version, model, recipe, seed, digest, image and tap path, written into every export.
    """

    received: np.ndarray
    entropy: np.ndarray
    tokens: int
    picture: np.ndarray
    classes: tuple[str, ...]
    label: str | None
    path: str
    checkpoint: str
    asked: Mapping[str, Any]
    before: Answer
    now: Answer
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


def packed(view: SwitchView, states: Sequence[str]) -> bytes:
    """Return the payload of the heads, their states as in the URL, and the answer."""
    heads = len(view.received)
    if len(states) != heads or not set(states) <= set(STATES):
        raise BadInput(f"states: expected {heads} of {', '.join(STATES)}, got {', '.join(states)}.")
    header = {
        "labels": [f"head {head + 1}" for head in range(heads)],
        "tokens": view.tokens,
        "classes": list(view.classes),
        "label": view.label,
        "address": view.path,
        "checkpoint": view.checkpoint,
        "picture": dict(view.asked),
        "states": list(states),
        "origin": dict(view.origin),
    }
    arrays = {
        "maps": view.received.astype(np.float64),
        "picture": view.picture.astype(np.float64),
        "entropy": view.entropy.astype(np.float64),
        "before_logits": view.before.logits,
        "before_probabilities": view.before.probabilities,
        "now_logits": view.now.logits,
        "now_probabilities": view.now.probabilities,
    }
    return pack(header, arrays)


def head_switch(payload: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Draw the heads and the answer."""
    asked = {"switched": _controlled(key).ask(header_of(payload)["states"])}
    component("head_switch")(
        key=key, data=with_header(payload, state=asked), on_switched_change=_controlled(key).callback(on_change)
    )


def switched(key: str) -> list[str] | None:
    """Return the states that last settled in the component of that key, or None before the first time."""
    states: list[str] | None = _controlled(key).shown()
    return states


def _controlled(key: str) -> ControlledState:
    return ControlledState(key, "switched", lambda states: states if isinstance(states, list) else UNKNOWN)


def edits_of(states: Sequence[str], path: str) -> list[dict[str, Any]]:
    """Return the states as edits for a live request, the same as `head_switch.js` does."""
    meant = {edit: [head for head, state in enumerate(states) if state == edit] for edit in EDITED}
    return [{"edit": edit, "address": path, "index": {"head": heads}} for edit, heads in meant.items() if heads]


def states_to_url(states: Sequence[str]) -> dict[str, str | None]:
    """Return the states as URL fields, with heads counted from 1; None for a state that no head has."""
    return {edit: _written([head + 1 for head, state in enumerate(states) if state == edit]) or None for edit in EDITED}


def states_from_url(words: Mapping[str, str], heads: int) -> tuple[list[str], list[str]]:
    """Return each head's state in the URL, the last if it names several, and a sentence for every invalid value."""
    states, sentences = ["on"] * heads, []
    for edit in EDITED:
        for part in words.get(edit, "").split(",") if words.get(edit) else ():
            ends = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
            first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (0, 0)
            if 1 <= first <= last <= heads:
                states[first - 1 : last] = [edit] * (last - first + 1)
            else:
                there = "there is only head 1" if heads == 1 else f"there are heads 1 to {heads}"
                sentences.append(f"The URL sets head {part!r} to {edit}, but {there}. This is ignored.")
    return states, sentences


def _written(numbers: list[int]) -> str:
    """Return ascending numbers in the form "1-4,7,9"."""
    parts: list[str] = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        several = [number for _, number in run]
        parts += [f"{several[0]}-{several[-1]}"] if len(several) > 2 else map(str, several)
    return ",".join(parts)

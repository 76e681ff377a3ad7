"""The choice of an experiment's training: one that is shipped with its epochs, or one that was run here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from attnviz.data.specs import DATASETS
from attnviz.errors import AttnvizError, BadInput
from attnviz.subjects import Net
from attnviz.subjects.history import Point
from attnviz.ui import mechanisms
from attnviz.ui.live.trainings import net_of, shipped, title_of, written
from attnviz.ui.shared import findings, url_state
from attnviz.ui.training import yours

if TYPE_CHECKING:
    from attnviz.measures.switched import HeadLayer
    from attnviz.work.jobs.seen import Seen

EPOCHS = 12
"""The maximum number of epochs examined; longer trainings are sampled, more densely early on."""


def trainings(there: Sequence[Seen]) -> dict[str, str]:
    """Return key of the history -> title of the trainings whose models have heads and predict a class: those run here
    first, starting with the newest. BadInput if there are none.
    """
    ran = [run for one in there if not yours.hidden(one) for run in one.runs]
    titles = {f"run:{run}": title_of(run) for run in sorted(ran, key=written, reverse=True)}
    nets = {key: net_of(key) for key, title in titles.items() if title}
    known, order = shipped(), {model: place for place, model in enumerate(mechanisms.order())}
    for name in sorted(known, key=lambda name: order.get(known[name].architecture, len(order))):
        titles[name], nets[name] = f"{known[name].title}, as shipped", known[name]
    place, asked = st.empty(), len({_kind(net) for net in nets.values()} - _heads.keys())
    found, before = {}, len(_heads)
    for key, net in nets.items():
        if _kind(net) not in _heads:  # it must be loaded, which can take a second or more
            done = min(len(_heads) - before, asked)
            place.progress(done / asked, f"{done} of {asked} models were asked whether they have heads")
        if _fits(net):
            found[key] = titles[key]
    place.empty()
    if not found:
        raise BadInput(
            "There is no training here whose model has heads. Choose a mechanism with heads above, and train it."
        )
    return found


def pick(word: str, label: str, options: Mapping[str, str], clears: Sequence[str] = ()) -> str:
    """Draw the choice of a training and return its key; a new choice clears the URL fields `clears`."""
    before = st.session_state.get(word)  # keeps the choice if another run begins meanwhile
    first = str(before) if before in options else next(iter(options))
    return url_state.pick(st.selectbox, label, word, options, first, "training", clears=clears, width=480)


def some(points: Sequence[Point], most: int = EPOCHS) -> list[Point]:
    """Return at most `most` of ascending epochs: the first, the last, and others that become sparser over time."""
    last = len(points) - 1
    if last < most:
        return list(points)
    steps = [last ** (place / (most - 2)) for place in range(most - 1)]
    places = {0}
    for step in steps:
        places.add(max(round(step), max(places) + 1))
    return [points[place] for place in sorted(places) if place < last] + [points[last]]


def layers(net: Net) -> list[HeadLayer]:
    """Return the layers of a net that have heads."""
    from attnviz.measures.switched import head_layers

    return head_layers({address: (tap.axes, tap.shape) for address, tap in findings.list_taps(net).items()})


def names(found: Sequence[HeadLayer]) -> list[str]:
    """Return the names of the heads of several layers, counted from 1: "head 3", or "layer 2, head 3"."""
    several = len(found) > 1
    return [
        f"layer {place}, head {head}" if several else f"head {head}"
        for place, layer in enumerate(found, 1)
        for head in range(1, layer.heads + 1)
    ]


def _fits(net: Net) -> bool:
    """Return whether a net has heads, and predicts a class rather than a text."""
    kind = _kind(net)
    if kind not in _heads:
        with suppress(AttnvizError):
            text = net.data is not None and DATASETS[net.data].target.per_step
            _heads[kind] = not text and bool(layers(net))
    return _heads.get(kind, False)


def _kind(net: Net) -> tuple[str, str]:
    return net.architecture, json.dumps(dict(net.config), sort_keys=True, default=str)


_heads: dict[tuple[str, str], bool] = {}  # (architecture, config) -> whether a model of this kind has heads

"""The contents of the components and the panel, for every net with gates, on any page and in the live channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from attnviz import data
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net
from attnviz.subjects.subject import origin_of
from attnviz.ui.components import map_grid, stage_maps
from attnviz.ui.components.gates import FIELDS, SETS, write_turns
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, Index, NoParameters, View
from attnviz.ui.shared import cache, pickers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.readings import Reading
    from attnviz.subjects import Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the gates of all layers as the component's payload."""
    from attnviz.ui.mechanisms.channel_attention import gates

    return cache.of_subject(gates.view, subject).packed()


_TURN = r"\d{1,3}\.\d{1,4}-\d{1,3}"
LONGEST = 4000
"""The maximum length, in characters, of the URL field for the gates that are turned."""


class OfGates(Strict):
    """The values of the gates: the set for all of them, and those turned by hand, as in the URL."""

    gates: Literal["own", "one", "mean", "other"] = "own"
    turned: Annotated[str, Field(max_length=LONGEST, pattern=rf"^({_TURN}(,{_TURN})*)?$")] = ""


def in_url(subject: Subject, words: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters of the maps from the URL, without gates or sets that do not exist."""
    from attnviz.ui.mechanisms.channel_attention import gates

    own = cache.of_subject(gates.view, subject)
    asked = FIELDS.complete(FIELDS.read(words))
    known = asked["gates"] in SETS and (asked["gates"] != "other" or own.other is not None)
    turned = asked["turned"] if isinstance(asked["turned"], list) else []  # an invalid field stays a string
    counts = [len(layer.gate) for layer in own.layers]
    there = all(0 <= at < len(counts) and 0 <= which < counts[at] and to <= 100 for at, which, to in turned)
    once = len({(at, which) for at, which, _ in turned}) == len(turned)
    word = write_turns(turned) if there and once else ""
    return {"gates": asked["gates"] if known else "own", "turned": word if len(word) <= LONGEST else ""}


def stages_payload(subject: Subject, parameters: OfGates) -> bytes:
    """Return the maps of every block with gates as the component's payload."""
    from attnviz.ui.mechanisms.channel_attention import stages

    return stage_maps.packed(cache.of_subject(stages.view, subject, parameters.gates, parameters.turned))


def passes(parameters: Strict, net: Net) -> float:
    """Return the cost in forward passes: one on the picture and one on another. Those on many are cached per net."""
    return 2.0


GATES_VIEW = View("gates_view", NoParameters, payload, passes, lasts=True)
BLOCKS_VIEW = View("gated_blocks_view", OfGates, stages_payload, passes, lasts=True)


class OfLayer(Strict):
    """The index of a layer of gates."""

    layer: Index = 0


def classes_payload(subject: Subject, parameters: OfLayer) -> bytes:
    """Return the mean gates of each class in a layer, minus the mean of all pictures, as a map."""
    from attnviz.measures.channel_attention.gates import class_means
    from attnviz.ui.mechanisms.channel_attention.gates import over, title_of

    source, layer = pickers.tests(subject), parameters.layer
    many = cache.of_net(over, subject.net, source)
    if layer >= len(many.gates):
        raise BadInput(f"{subject.net.key} has {len(many.gates)} layers of gates, counted from 0; none is {layer}.")
    path, gates = [*many.gates.items()][layer]
    classes = data.DATASETS[source].classes
    means = class_means(gates, many.labels, len(classes))
    shown = np.isfinite(means[:, 0])
    means -= gates.mean(0)
    channels = [str(channel + 1) for channel in range(means.shape[1])]
    names = [name for name, there in zip(classes, shown.tolist(), strict=True) if there]
    title = title_of(path, layer)
    origin = {**origin_of(subject.net), "address": path, "over": many.said}
    return map_grid.packed(
        means[shown][None], [title], role="signed", title=f"{title}: mean gates of each class, minus the mean of all",
        names=map_grid.Names("class", names, "channel", channels), origin=origin,
    )  # fmt: skip


CLASS_GATES = View("gates_of_classes", OfLayer, classes_payload, lasts=True)


KINDS = {"se": "Squeeze-and-excitation", "cbam": "CBAM", "bam": "BAM"}  # of the model's `gate`
WIDTHS = (16, 32, 64)  # the model's, unless its config has others


def panel_of(net: Net) -> Panel:
    """Return the panel: the gates of every block as bars, or the picture for a network without gates."""
    kind = net.config.get("gate", "none")
    if kind == "none":
        return Panel("Residual network", net.title, "ink", "no gates: its input", page="explorer")
    groups = counts(net)
    return Panel(
        KINDS[kind],
        f"{sum(groups)} gates in {len(groups)} {'stages' if kind == 'bam' else 'blocks'}",
        "bars",
        "a gate per channel, mean over positions; a row per stage"
        if kind == "bam"
        else "a gate per channel, from 0 to 1; a row per block",
        {"derived": "gates"},
        page="channel_attention",
        options={"groups": groups, "range": "unit"},
    )


def counts(net: Net) -> list[int]:
    """Return the number of gates of each layer, in the order of the forward pass."""
    widths, blocks = net.config.get("widths", WIDTHS), net.config.get("blocks", 2)
    return [width for width in widths for _ in range(1 if net.config["gate"] == "bam" else blocks)]


def gates(context: Context[NoParameters]) -> Reading:
    """Return the gates of all layers, concatenated, (batch, channel), averaged over positions if there are any."""
    import torch

    from attnviz.readings import Reading
    from attnviz.ui.mechanisms.channel_attention.layers import kind_of, layers_of, of_channels

    found = [
        of_channels(context.seen[f"{path}.{kind_of(layer).tap}"].tensor)
        for path, layer in layers_of(context.loaded.model).items()
    ]
    return Reading("gates", torch.cat(found, 1), ("batch", "channel"))


GATES = Derived("gates", NoParameters, gates, lambda parameters: ("*gate",))

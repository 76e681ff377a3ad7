"""The contents of the stage grid, the maps of heads and the panel, for every net with element-wise attention."""

import json
from functools import cache as once
from pathlib import Path
from typing import Any, Literal

import numpy as np

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net, Subject
from attnviz.ui.components import map_grid
from attnviz.ui.components.map_grid import Table, packed
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Index, NoParameters, View
from attnviz.ui.shared import cache


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the stages of all layers as the stage grid's payload."""
    from attnviz.ui.mechanisms.element_wise import stages

    return cache.of_subject(stages.view, subject).packed()


def two_passes(parameters: NoParameters, net: Net) -> float:
    """Return the cost in forward passes: one on the picture, and one on the picture of another class."""
    return 2.0


STAGES_VIEW = View("stages_view", NoParameters, payload, two_passes, lasts=True)


class OfLayer(Strict):
    """The index of a layer."""

    layer: Index = 0


def heads_payload(subject: Subject, parameters: OfLayer) -> bytes:
    """Return maps of what each head of a layer passes to the convolution."""
    from attnviz.ui.mechanisms.element_wise import stages

    layers, layer = cache.of_subject(stages.attended, subject), parameters.layer
    if layer >= len(layers):
        raise BadInput(f"{subject.net.key} has {len(layers)} layers of element-wise attention, counted from 0.")
    maps = layers[layer]
    count, channels = maps.shape[:2]
    maps = maps.mean(1) if channels > 1 else maps[:, 0]
    mean = f", mean of its {channels} channels" if channels > 1 else ""
    return map_grid.packed(
        maps, [f"head {head + 1}" for head in range(count)], role="signed", scale="all",
        title=f"What each head of layer {layer + 1} passes to the convolution{mean}",
        origin=dict(cache.of_subject(stages.view, subject).origin),
    )  # fmt: skip


OF_HEADS = View("outputs_of_heads", OfLayer, heads_payload, lasts=True)


def panel_of(net: Net) -> Panel:
    """Return the panel: each layer before its convolution and after ReLU, or the picture for a control."""
    if net.architecture != "element_wise":
        return Panel("Convolutions", net.title, "ink", "no attention: its input", page="explorer")
    heads, layers = net.config.get("heads", 8), net.config.get("layers", 2)
    return Panel(
        "Element-wise attention",
        f"{heads} head{'s' if heads > 1 else ''}, {layers} layers",
        "stages",
        "each layer before its convolution, and after ReLU",
        {"derived": "handed_on"},
        net.input.rows,
        net.input.columns,
        page="element_wise",
    )


DYING = Path(__file__).with_name("dying.json")
STEPS = (0, 1, 2, 3, 4, 5, 7, 10, 20, 45)


@once
def courses() -> dict[str, Any] | None:
    """Return the file that `benchmarks/dying.py` wrote, or None if it is missing."""
    return json.loads(DYING.read_text()) if DYING.exists() else None


def fate_of(course: dict[str, Any]) -> str:
    """Return whether a network "dies" or "lives"."""
    return "dies" if course["dead"] else "lives"


class OfFate(Strict):
    """The recorded network to show: one that dies, or one that lives."""

    fate: Literal["dies", "lives"] = "dies"


def film_payload(subject: Subject, parameters: OfFate) -> bytes:
    """Return maps of the outputs of a recorded network on an example after some steps of its training."""
    fate, found = parameters.fate, courses()
    course = next((one for one in (found or {"courses": ()})["courses"] if fate_of(one) == fate), None)
    if course is None:
        raise BadInput(f"There is no recording of a network that {fate}.")
    image = subject.image.astype(float).mean(2) / 255
    flowing = dict.fromkeys(STEPS, image)
    maps = []
    for layer in range(course["layers"]):
        for step in STEPS:
            norm = course["steps"][step][layer]
            normed = (flowing[step] + norm["bias"] - norm["mean"]) / np.sqrt(norm["variance"] + 1e-5)
            flowing[step] = np.maximum(norm["scale"] * normed + norm["shift"], 0)
            maps.append(flowing[step])
    rows = [f"layer {layer + 1}" for layer in range(course["layers"])]
    return packed(
        np.stack(maps), [f"{row}, step {step}" for row in rows for step in STEPS], role="positive", scale="map",
        title=f"Seed {course['seed']} {fate}: the output of each layer after the number of steps shown",
        table=Table(rows, [str(step) for step in STEPS]), origin={"seed": course["seed"], "model": "stand-in"},
    )  # fmt: skip


FILM = View("film_of_a_network", OfFate, film_payload)

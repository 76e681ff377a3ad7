"""What recorded networks make of a picture as they die, or live: a view of every net, whose picture it takes."""

from __future__ import annotations

import json
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.components.map_grid import Table, packed
from attnviz.ui.live.derived import View

if TYPE_CHECKING:
    from attnviz.subjects import Subject

DYING = Path(__file__).with_name("dying.json")
STEPS = (0, 1, 2, 3, 4, 5, 7, 10, 20, 45)


@once
def courses() -> dict[str, Any] | None:
    """Return what `benchmarks/dying.py` wrote, or None."""
    return json.loads(DYING.read_text()) if DYING.exists() else None


def fate_of(course: dict[str, Any]) -> str:
    """Return what becomes of a network."""
    return "dies" if course["dead"] else "lives"


class OfFate(Strict):
    """Which of the recorded networks: one that dies, or one that lives."""

    fate: Literal["dies", "lives"] = "dies"


def payload(subject: Subject, parameters: OfFate) -> bytes:
    """Return what a recorded network makes of an example after some steps of its training, as maps."""
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


FILM = View("film_of_a_network", OfFate, payload)

"""The row of `attnviz.ui.mechanisms.MECHANISMS`. Importing it costs neither torch nor streamlit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, NoParameters
from attnviz.ui.mechanisms.mechanism import Mechanism

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.readings import Reading
    from attnviz.subjects import Net

HERE = Path(__file__).parent


def run(context: Context[NoParameters]) -> Tensor:
    """Make the forward pass with the places that the request's seed draws."""
    model: Any = context.loaded.model
    logits: Tensor = model(context.images, generator=context.generator)
    return logits


def places(context: Context[NoParameters]) -> Reading:
    """Return where the model looked, batch by glimpse: (row, column) of the patch, -1 to 1."""
    from attnviz import Reading

    return Reading(
        "looks.location", context.seen["looks.location"].tensor.movedim(0, 1), ("batch", "glimpse", "feature")
    )


def derived() -> tuple[Derived[Any], ...]:
    """Return the derived values of this mechanism."""
    return (Derived("places", NoParameters, places, lambda parameters: ("looks.location",), run=run),)


def panel(net: Net) -> Panel:
    """Show the places on the picture, drawn by a module of this package."""
    renderer = "chance_looks.panels/places.js"
    return Panel("Chance looks", "four looks", renderer, "where it looked", {"derived": "places"}, page="chance_looks")


MECHANISM = Mechanism(
    name="chance_looks",
    title="Chance looks",
    question="What does a model see that looks by chance?",
    page=str(HERE / "page.py"),
    url="chance_looks",
    models=("chance_looks",),
    panel=panel,
    papers=("chance_looks",),
    derived=derived,
    components=("chance_looks.panels",),
    frontend=HERE / "frontend",
)

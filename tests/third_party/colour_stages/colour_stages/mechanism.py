"""The row of `attnviz.ui.mechanisms.MECHANISMS`. Importing it costs neither torch nor streamlit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from attnviz.recipes.recipe import Strict
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, NoParameters, View
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.views.payload import pack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from attnviz.readings import Reading
    from attnviz.subjects import Example, Loaded, Net, Subject

HERE = Path(__file__).parent


class OfStage(Strict):
    """Which stage, and what its normalisation adds to the variance: a parameter of this mechanism's own.

    Args:
        stage: its number, from 0.
        eps: of the normalisation; None for the trained one.
    """

    stage: Annotated[int, Field(ge=0, le=1)] = 0
    eps: Annotated[float, Field(gt=0, le=1e3)] | None = None


def taps(parameters: OfStage) -> tuple[str, ...]:
    """Return the tap that the energy is computed from."""
    return (f"stages.{parameters.stage}.after_relu",)


def run(context: Context[OfStage]) -> Tensor:
    """Make the forward pass with another eps."""
    model: Any = context.loaded.model
    norm = model.stages[context.parameters.stage].norm
    trained = norm.eps
    norm.eps = context.parameters.eps or trained
    try:
        logits: Tensor = model(context.images)
    finally:
        norm.eps = trained
    return logits


def energy(context: Context[OfStage]) -> Reading:
    """Return the mean over the channels of what ReLU lets through: batch by row and column."""
    from attnviz import Reading

    (path,) = taps(context.parameters)
    return Reading(path, context.seen[path].tensor.mean(1), ("batch", "row", "column"))


def energies(loaded: Loaded, example: Example) -> NDArray[np.float32]:
    """Return the energies of all stages, (stage, row, column)."""
    import torch

    from attnviz.tracing import trace
    from attnviz.ui.shared import inference

    paths = [taps(OfStage(stage=stage))[0] for stage in (0, 1)]
    with torch.no_grad(), trace(loaded.model, paths) as seen:
        loaded.model(inference.batch_of(loaded, example))
    return torch.stack([seen[path].tensor[0].mean(0) for path in paths]).float().numpy()


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return what the component shows of a subject."""
    from attnviz.ui.shared import cache

    header = {"title": subject.net.title, "origin": subject.origin()}
    return pack(header, {"energies": cache.of_subject(energies, subject)})


ENERGIES = View("stage_energies", NoParameters, payload)


def derived() -> tuple[Derived[Any] | View[Any], ...]:
    """Return the derived values and the view of this mechanism."""
    return (Derived("stage_energy", OfStage, energy, taps, run=run), ENERGIES)


def panel(net: Net) -> Panel:
    """Show the energy of the first stage, drawn by a module of this package."""
    wanted = {"derived": "stage_energy", "parameters": {"stage": 0}}
    says = "what the first stage lets through"
    return Panel("Colour stages", "two stages", "colour_stages.panels/energy.js", says, wanted, 32, 32)


MECHANISM = Mechanism(
    name="colour_stages",
    title="Colour stages",
    question="What does each stage of a small colour model let through?",
    page=str(HERE / "page.py"),
    url="colour_stages",
    models=("colour_stages",),
    panel=panel,
    papers=("colour_stages",),
    derived=derived,
    components=("colour_stages.panels", "colour_stages.energies"),
    frontend=HERE / "frontend",
)

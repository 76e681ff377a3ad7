"""The derived value of recurrent attention: a path over a picture, drawn anew or forced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.live.derived import Context, Derived

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attnviz.checkpoints import Checkpoint
    from attnviz.layers.glimpse import Glimpses
    from attnviz.readings import Reading

TAPS = ("location_mean", "location", "patches", "belief", "baseline")

Coordinate = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Location = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class Looked(Strict):
    """Where the model looks.

    Args:
        locations: (row, column) of each glimpse in -1..1; None, or nothing at the end, leaves it to the policy.
    """

    locations: Annotated[list[Location | None], Field(max_length=64)] = []


def layer_of(model: nn.Module) -> tuple[str, Glimpses]:
    """Return path and layer of what takes the glimpses.

    Raises:
        BadInput: the model takes none.
    """
    from attnviz.layers.glimpse import Glimpses

    found = next(((path, layer) for path, layer in model.named_modules() if isinstance(layer, Glimpses)), None)
    if found is None:
        raise BadInput(f"{type(model).__name__} does not look in glimpses, so it has no path.")
    return found


def settle(checkpoint: Checkpoint, parameters: Looked) -> Looked:
    """Return the parameters, if the model can use them.

    Raises:
        BadInput: more locations than glimpses, or a model without glimpses.
    """
    count, given = layer_of(checkpoint.model)[1].glimpses, len(parameters.locations)
    if given > count:
        raise BadInput(f"This model takes {count} glimpses, so {given} locations are too many.")
    return parameters


def run(context: Context[Looked]) -> Tensor:
    """Make the pass with the forced locations, and return its logits, (picture, column)."""
    import torch

    model = context.checkpoint.model
    given = context.parameters.locations
    forced = None
    if any(location is not None for location in given):
        forced = torch.full((1, layer_of(model)[1].glimpses, 2), float("nan"))
        for number, location in enumerate(given):
            if location is not None:
                forced[0, number] = torch.tensor(location)
    logits: Tensor = model(context.images, generator=context.generator, locations=forced)
    return logits


def taps(parameters: Strict) -> tuple[str, ...]:
    """Return patterns of the taps of a path."""
    return tuple(f"*.{tap}" for tap in TAPS)


def compute(context: Context[Looked]) -> dict[str, Reading]:
    """Return the taps of `TAPS`, batch by glimpse by what a tap has, and `corner`: (batch, glimpse, scale, feature),
    the (row, column) of the top left pixel of each patch."""
    from attnviz.readings import Reading

    path, layer = layer_of(context.checkpoint.model)
    found = {}
    for tap in TAPS:
        seen = context.seen[f"{path}.{tap}"]
        found[tap] = Reading(tap, seen.tensor.transpose(0, 1), ("batch", "glimpse", *seen.axes[2:]))
    corners = layer.retina.corners(found["location"].tensor)
    return {**found, "corner": Reading("corner", corners, ("batch", "glimpse", "scale", "feature"))}


DERIVED: tuple[Derived[Any], ...] = (Derived("glimpses", Looked, compute, taps, settle, run=run),)

"""The contents of the glimpse player, the live channel and the panel, for every net that looks in glimpses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, Index, View
from attnviz.ui.mechanisms.recurrent_attention import first_look
from attnviz.views.glimpses import TAPS, layer_of

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.readings import Reading
    from attnviz.subjects import Loaded, Net, Subject


OF_SEVERAL = ("location", "belief")

Coordinate = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Location = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class Looked(Strict):
    """The locations at which the model looks.

    Args:
        locations: (row, column) of each glimpse in -1..1. The policy chooses where an entry is None or missing.
        paths: The number of paths drawn at once over each picture. If there are several, only their locations and last
            beliefs are returned, from which the browser counts how often a pixel is seen.
    """

    locations: Annotated[list[Location | None], Field(max_length=64)] = []
    paths: Annotated[int, Field(ge=1, le=50)] = 1


def settle(loaded: Loaded, parameters: Looked) -> Looked:
    """Return the parameters, if the model can use them."""
    count, given = layer_of(loaded.model)[1].glimpses, len(parameters.locations)
    if given > count:
        raise BadInput(f"This model takes {count} glimpses, so {given} locations are too many.")
    return parameters


def run(context: Context[Looked]) -> Tensor:
    """Make the pass with the forced locations and return its logits, (picture * path, column), picture by picture."""
    import torch

    model = context.loaded.model
    given = context.parameters.locations
    forced = None
    if any(location is not None for location in given):
        forced = torch.full((1, layer_of(model)[1].glimpses, 2), float("nan"))
        for number, location in enumerate(given):
            if location is not None:
                forced[0, number] = torch.tensor(location)
    images = context.images.repeat_interleave(context.parameters.paths, 0)
    logits: Tensor = model(images, generator=context.generator, locations=forced)
    return logits


def taps(parameters: Looked) -> tuple[str, ...]:
    """Return patterns that match the taps of one path, or of several."""
    return tuple(f"*.{tap}" for tap in (TAPS if parameters.paths == 1 else OF_SEVERAL))


def cost(parameters: Looked, net: Net) -> float:
    """Return the cost of a picture in forward passes: one for each path."""
    return float(parameters.paths)


def compute(context: Context[Looked]) -> dict[str, Reading]:
    """Return the taps of `TAPS`, (batch, glimpse, ...), and `corner`, (batch, glimpse, scale, feature): the (row,
    column) of the top left pixel of each patch. For several paths, which are then the batch, return the last `belief`,
    (batch, class), and `corner` of the sharp patch alone, (batch, glimpse, feature).
    """
    from attnviz.readings import Reading

    path, layer = layer_of(context.loaded.model)
    if context.parameters.paths > 1:
        last = context.seen[f"{path}.belief"].tensor[-1]
        sharp = layer.retina.corners(context.seen[f"{path}.location"].tensor.transpose(0, 1))[:, :, 0]
        return {
            "belief": Reading("belief", last, ("batch", "class")),
            "corner": Reading("corner", sharp, ("batch", "glimpse", "feature")),
        }
    found = {}
    for tap in TAPS:
        seen = context.seen[f"{path}.{tap}"]
        found[tap] = Reading(tap, seen.tensor.transpose(0, 1), ("batch", "glimpse", *seen.axes[2:]))
    corners = layer.retina.corners(found["location"].tensor)
    return {**found, "corner": Reading("corner", corners, ("batch", "glimpse", "scale", "feature"))}


DERIVED: tuple[Derived[Any], ...] = (Derived("glimpses", Looked, compute, taps, settle, run=run, cost=cost),)


class OfDraw(Strict):
    """The path with which the player opens: the seed of the random numbers, or None for the path along the means, and
    the (row, column) in -1..1 of each glimpse whose location is prescribed.
    """

    draw: Index | None = 0
    forced: Annotated[list[Location], Field(max_length=64)] = []


def payload(subject: Subject, parameters: OfDraw) -> bytes:
    """Return a path over an example as the player's payload."""
    draw, forced = parameters.draw, tuple((row, column) for row, column in parameters.forced)
    return first_look.stored(subject, draw, forced) or first_look.view(subject, draw, forced).packed()


GLIMPSES_VIEW = View("glimpses_view", OfDraw, payload, lasts=True)


def panel_of(net: Net) -> Panel:
    """Return the panel: the path over the drawing, or the picture for the control."""
    if net.architecture != "recurrent_attention":
        return Panel("A small network", "on the pixels", "ink", "no attention: it sees all pixels at once")
    glimpses, size, scales = (
        net.config.get(name, usual) for name, usual in (("glimpses", 6), ("size", 12), ("scales", 3))
    )
    sizes = f"{size} \u00d7 {size}" + (f", {scales} scales" if scales > 1 else "")
    return Panel(
        "Glimpses",
        f"{glimpses} of {sizes}",
        "glimpse_player/panel.js",
        "where it looks, in order; sharp inside the boxes",
        {"derived": "glimpses"},
        net.input.rows,
        net.input.columns,
        page="recurrent_attention",
        options={"size": size},
    )

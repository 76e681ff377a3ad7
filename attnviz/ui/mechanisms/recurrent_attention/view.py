"""What the glimpse player and the panel show of every net that looks in glimpses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Index, View
from attnviz.ui.mechanisms.recurrent_attention import first_look
from attnviz.ui.mechanisms.recurrent_attention.derived import Location

if TYPE_CHECKING:
    from attnviz.subjects import Subject


class OfDraw(Strict):
    """Which path the player opens with: the seed of the random numbers, None for the path along the means, and (row,
    column) in -1..1 of each glimpse where the net is made to look.
    """

    draw: Index | None = 0
    forced: Annotated[list[Location], Field(max_length=64)] = []


def payload(subject: Subject, parameters: OfDraw) -> bytes:
    """Return a path over an example, as the player takes it."""
    draw, forced = parameters.draw, tuple((row, column) for row, column in parameters.forced)
    return first_look.stored(subject, draw, forced) or first_look.view(subject, draw, forced).packed()


GLIMPSES_VIEW = View("glimpses_view", OfDraw, payload, lasts=True)


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: the path over the drawing; of the control, the picture."""
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

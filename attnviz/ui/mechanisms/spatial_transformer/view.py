"""The contents of the component and the panel of spatial transformers, and the panel's derived value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.readings import Reading
    from attnviz.subjects import Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the picture, theta and the answer as the component's payload."""
    from attnviz.ui.mechanisms.spatial_transformer import grids

    return cache.of_subject(grids.view, subject).packed()


GRID_VIEW = View("sampling_grid_view", NoParameters, payload, lasts=True)


KINDS = {"affine": "any affine transform", "rotation": "it only rotates", "crop": "it only crops"}  # of `transform`


def panel_of(net: Net) -> Panel:
    """Return the panel: the classifier's input and its grid, or the picture for a network without a transformer."""
    transform = net.config.get("transform", "affine")
    if transform == "none":
        return Panel("Two convolutions", net.title, "ink", "no transformer: its input", page="explorer")
    return Panel(
        "Spatial transformer",
        KINDS[transform],
        "sampling_grid/panel.js",
        "what is sampled at the grid in the corner",
        {"derived": "sampled"},
        net.input.rows,
        net.input.columns,
        page="spatial_transformer",
    )


def sampled(context: Context[NoParameters]) -> Mapping[str, Reading]:
    """Return theta, (batch, row, column), and the classifier's input, (batch, channel, row, column)."""
    from attnviz.ui.mechanisms.spatial_transformer.grids import path_of

    path = path_of(context.loaded)
    return {name: context.seen[f"{path}.{name}"] for name in ("theta", "transformed")}


SAMPLED = Derived("sampled", NoParameters, sampled, lambda parameters: ("*theta", "*transformed"))

"""What the panels of spatial transformers and of their controls show on the draw page."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel

KINDS = {"affine": "any affine transform", "rotation": "it only rotates", "crop": "it only crops"}  # of `transform`


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: what the classifier sees, and its grid; of a network without one, the picture."""
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

"""What the panels of recurrent attention and of its control show on the draw page."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel


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

"""What the panels of element-wise attention and of its controls show on the draw page."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: each layer before its convolution and after ReLU; of a control, the picture."""
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

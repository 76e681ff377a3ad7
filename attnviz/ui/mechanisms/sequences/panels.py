"""What a panel of a net that reads strips shows: a drawing is a strip of one digit, which has little to choose from."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel

KINDS = {
    "additive": "additive attention",
    "none": "one vector",
    "uniform": "equal weights",
    "transformer": "a Transformer",
}


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: the drawing, as a strip of one digit."""
    kind = KINDS[str(net.config.get("attention", "transformer"))]
    return Panel("Reads strips", kind, "ink", "a strip of one digit", page="sequences")

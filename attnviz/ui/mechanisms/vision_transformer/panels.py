"""What the panels of vision transformers and of their control show on the draw page."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.mechanisms.vision_transformer.derived import ANSWER_ROW

LAYERS, HEADS = 4, 4  # of a config that does not say


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: what the answer is read from in the last layer; of the control, the picture."""
    layers, heads = net.config.get("layers", LAYERS), net.config.get("heads", HEADS)
    if net.config.get("mixing") == "even":
        says = "every patch takes the mean of all: its input"
        return Panel("Attention even", net.title, "ink", says, page="explorer")
    grid = net.grid
    assert grid is not None, "patches always lie on the picture"
    reads = "the class token" if net.config.get("reading", "class") == "class" else "the patches together"
    return Panel(
        "Vision transformer",
        f"{layers} layers, {heads} heads",
        "share",
        f"what {reads} attend{'s' if reads.endswith('token') else ''} to in the last layer",
        {"derived": ANSWER_ROW.name, "parameters": {"layer": f"layers.{layers - 1}.attention", "head": 0}},
        grid.rows,
        grid.columns,
        grid.prefix,
        heads=heads,
        page="vision_transformer",
    )

"""What the panels of attention over blocks and of its controls show on the draw page."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.dot_product.mean_row import OF_ATTENTION

WITHOUT = {
    "within": ("Attention within blocks", "no block attends to another: its input"),
    "zero": ("Attention set to zero", "no attention: its input"),
    "none": ("Convolutions", "no attention: its input"),
}  # what a control is called, and what its panel shows


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: which blocks the ink attends to; of a control, the picture."""
    attention = net.config["attention"]
    if attention != "blocks":
        title, says = WITHOUT[attention]
        return Panel(title, net.title, "ink", says, page="explorer")
    grid, heads = net.grid, net.config.get("heads", 8)
    assert grid is not None, "blocks always lie on the picture"
    return Panel(
        "Attention over blocks",
        f"{heads} heads, {grid.rows} × {grid.columns} blocks",
        "share",
        "what the blocks with ink attend to",
        OF_ATTENTION,
        grid.rows,
        grid.columns,
        heads=heads,
        page="cnn_attention",
        options={"boxes": grid.boxes},
    )

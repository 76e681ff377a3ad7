"""The contents of the viewer and the panel of attention over blocks."""

from attnviz.subjects import Net, Subject
from attnviz.ui.components.panel import Panel
from attnviz.ui.components.stage_maps import packed
from attnviz.ui.dot_product.mean_row import OF_ATTENTION
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the maps of every convolution as the component's payload."""
    from attnviz.ui.mechanisms.cnn_attention import stages

    return packed(cache.of_subject(stages.view, subject))


CONVOLUTIONS_VIEW = View("convolutions_view", NoParameters, payload, lasts=True)


WITHOUT = {
    "within": ("Attention within blocks", "no block attends to another: its input"),
    "zero": ("Attention set to zero", "no attention: its input"),
    "none": ("Convolutions", "no attention: its input"),
}  # the title and the caption of a control's panel


def panel_of(net: Net) -> Panel:
    """Return the panel: the blocks to which the ink attends, or the picture for a control."""
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

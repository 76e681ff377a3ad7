"""What the panels of attention over channels and of its controls show on the draw page."""

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel

KINDS = {"se": "Squeeze-and-excitation", "cbam": "CBAM", "bam": "BAM"}  # of the model's `gate`
WIDTHS = (16, 32, 64)  # of the model, unless its config says otherwise


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: the gates of every block as bars; of a network without gates, the picture."""
    kind = net.config.get("gate", "none")
    if kind == "none":
        return Panel("Residual network", net.title, "ink", "no gates: its input", page="explorer")
    groups = counts(net)
    return Panel(
        KINDS[kind],
        f"{sum(groups)} gates in {len(groups)} {'stages' if kind == 'bam' else 'blocks'}",
        "bars",
        "a gate per channel, mean over places; a row per stage"
        if kind == "bam"
        else "a gate per channel, from 0 to 1; a row per block",
        {"derived": "gates"},
        page="channel_attention",
        options={"groups": groups, "range": "unit"},
    )


def counts(net: Net) -> list[int]:
    """Return how many gates each layer has, in the order of the forward pass."""
    widths, blocks = net.config.get("widths", WIDTHS), net.config.get("blocks", 2)
    return [width for width in widths for _ in range(1 if net.config["gate"] == "bam" else blocks)]

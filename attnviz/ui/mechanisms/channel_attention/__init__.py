"""Attention over channels: gates that scale the channels of a convolutional network, and gates over positions."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, gathered, later

# The view that opens on its page and is shown on the home page.
MODEL, DATA, NUMBER = "channel_attention.digits", "strokes", 23

MECHANISM = Mechanism(
    name="channel_attention",
    title="Attention over channels",
    question="Which channels does a network let through for this picture?",
    page="50_channel_attention.py",
    url="channel_attention",
    models=("channel_attention",),
    is_control=lambda config: config.get("gate", "none") == "none",
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("hu",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 8, and the gates of the last block of a network as bars: each lets a channel through by so much",
        {"model": MODEL, "data": DATA, "number": NUMBER, "layer": "6"},
        later(f"{__name__}.gates", "home_tiles"),
    ),
    derived=gathered(__name__, "view.GATES_VIEW", "view.BLOCKS_VIEW", "view.CLASS_GATES", "view.GATES"),
    components=("gates",),
    preload=("gates", "stage_maps"),
    heights={"gates": Height(600, phone=1180), "gate_stages": Height(720)},
    imports=("attnviz.ui.components.gates", "attnviz.ui.components.stage_maps"),
)

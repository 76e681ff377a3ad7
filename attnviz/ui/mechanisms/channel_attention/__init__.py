"""Attention over channels: gates that scale the channels of a convolutional network, and gates over positions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, later

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.ui.live.derived import Derived, View

# The view with which its page opens, and which the home page shows.
MODEL, DATA, NUMBER = "channel_attention.digits", "strokes", 23


def _derived() -> "tuple[Derived[Any] | View[Any], ...]":
    from attnviz.ui.mechanisms.channel_attention import view

    return view.GATES_VIEW, view.BLOCKS_VIEW, view.CLASS_GATES, view.GATES


def _is_control(config: "Mapping[str, Any]") -> bool:
    return bool(config.get("gate", "none") == "none")


MECHANISM = Mechanism(
    name="channel_attention",
    title="Attention over channels",
    question="Which channels does a network let through for this picture?",
    page="50_channel_attention.py",
    url="channel_attention",
    models=("channel_attention",),
    is_control=_is_control,
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("hu",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 8, and the gates of the last block of a network as bars: each lets a channel through by so much",
        {"model": MODEL, "data": DATA, "number": NUMBER, "layer": "6"},
        later(f"{__name__}.gates", "home_tiles"),
    ),
    derived=_derived,
    components=("gates",),
    preload=("gates", "stage_maps"),
    heights={"gates": Height(600, phone=1180), "gate_stages": Height(720)},
    imports=("attnviz.ui.components.gates", "attnviz.ui.components.stage_maps"),
)

"""Pixel attention: every pixel is a token that attends to all others."""

from typing import TYPE_CHECKING, Any

from attnviz.ui.mechanisms.mechanism import FurtherPage, Mechanism, later

if TYPE_CHECKING:
    from attnviz.ui.live.derived import Derived


def _derived() -> "tuple[Derived[Any], ...]":
    from attnviz.ui.mechanisms.pixel_attention import derived

    return derived.DERIVED


_EIGHT = {"model": "pixel_attention.1v8", "data": "strokes", "number": 23}

MECHANISM = Mechanism(
    name="pixel_attention",
    title="Pixel attention",
    question="Where does this pixel take its information from?",
    page="10_pixel_attention.py",
    url="pixel_attention",
    models=("pixel_attention",),
    controls=("pixel_line", "histogram_line", "histogram_mlp", "ink"),
    panel=later(f"{__name__}.panels", "panel_of"),
    panels=(
        "pixel_attention.digits-no-positions",
        "pixel_attention.1v8-augmented-positions",
        "pixel_attention.1v8-augmented",
    ),
    papers=("schwarz",),
    home=later(f"{__name__}.home", "show"),
    live=later(f"{__name__}.home", "live"),
    tries=(
        ("The loop of an 8: what does it look at?", {**_EIGHT, "query": "12,13"}),
        ("A 1: which pixels receive the most attention?", {**_EIGHT, "number": 6, "direction": "received"}),
        ("Does it know where a pixel is? Shuffle them", {**_EIGHT, "experiment": "shuffle"}),
    ),
    derived=_derived,
    further=(FurtherPage("The paper, again", "15_paper.py", "paper"),),
    moved={
        "same": ("pixel_attention", "shuffle"),
        **{name: ("paper", name) for name in ("paper", "qkv", "outputs", "temperature", "parts", "one_token")},
    },
    components=("head_switch", "moving_maps", "pixel_viewer"),
    preload=("pixel_viewer",),
    imports=("attnviz.ui.mechanisms.pixel_attention.equations", "attnviz.ui.components.pixel_viewer"),
)

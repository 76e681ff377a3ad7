"""Recurrent attention: a model that looks at a picture in glimpses, and decides after each where to look next."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, later

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.ui.live.derived import Derived, View


def _derived() -> "tuple[Derived[Any] | View[Any], ...]":
    from attnviz.ui.mechanisms.recurrent_attention import view

    return view.GLIMPSES_VIEW, *view.DERIVED


def _is_control(config: "Mapping[str, Any]") -> bool:
    return bool(config.get("policy", "learnt") != "learnt")


MECHANISM = Mechanism(
    name="recurrent_attention",
    title="Glimpses",
    question="Where does a model look if it sees only a few patches of a picture?",
    page="30_recurrent_attention.py",
    url="recurrent_attention",
    models=("recurrent_attention",),
    controls=("pixel_mlp",),
    is_control=_is_control,
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("wu",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 0 with the six patches that a model looks at, joined to a path, and beside it all that it sees",
        {"model": "recurrent_attention.digits", "data": "strokes", "number": 73},
        later(f"{__name__}.glances", "home_tiles"),
    ),
    derived=_derived,
    components=("glimpse_player",),
    preload=("glimpse_player",),
    heights={"glimpses": Height(520)},
    imports=("attnviz.ui.components.glimpse_player",),
)

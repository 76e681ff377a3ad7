"""Recurrent attention: a model that looks at a picture in glimpses, and decides after each where to look next."""

from typing import TYPE_CHECKING, Any

from attnviz.ui.mechanisms.mechanism import Mechanism

if TYPE_CHECKING:
    from attnviz.cards import Card
    from attnviz.ui.components.panel import Panel
    from attnviz.ui.live.derived import Derived


def _panel(card: "Card") -> "Panel":
    from attnviz.ui.mechanisms.recurrent_attention import panels

    return panels.panel_of(card)


def _home() -> None:
    from attnviz.ui.mechanisms.recurrent_attention import home

    home.show(MECHANISM)


def _derived() -> "tuple[Derived[Any], ...]":
    from attnviz.ui.mechanisms.recurrent_attention import derived

    return derived.DERIVED


_EIGHT = {"model": "recurrent_attention.digits", "data": "strokes", "number": 23}

MECHANISM = Mechanism(
    name="recurrent_attention",
    title="Glimpses",
    question="Where does a model look that sees only a few patches of a picture?",
    page="30_recurrent_attention.py",
    url="recurrent_attention",
    models=("recurrent_attention",),
    controls=("pixel_mlp",),
    panel=_panel,
    papers=("wu",),
    home=_home,
    tries=(("An 8 in six glimpses: where does it look?", _EIGHT),),
    derived=_derived,
    components=("glimpse_player",),
    preload=("glimpse_player",),
    imports=("attnviz.ui.components.glimpse_player",),
)

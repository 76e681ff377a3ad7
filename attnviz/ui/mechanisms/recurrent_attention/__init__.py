"""Recurrent attention: a model that looks at a picture in glimpses, and decides after each where to look next."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, gathered, later

MECHANISM = Mechanism(
    name="recurrent_attention",
    title="Glimpses",
    question="Where does a model look if it sees only a few patches of a picture?",
    page="30_recurrent_attention.py",
    url="recurrent_attention",
    models=("recurrent_attention",),
    controls=("pixel_mlp",),
    is_control=lambda config: config.get("policy", "learnt") != "learnt",
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("wu",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 0 with the six patches that a model looks at, joined to a path, and beside it all that it sees",
        {"model": "recurrent_attention.digits", "data": "strokes", "number": 73},
        later(f"{__name__}.glances", "home_tiles"),
    ),
    derived=gathered(__name__, "view.GLIMPSES_VIEW", "view.DERIVED"),
    components=("glimpse_player",),
    preload=("glimpse_player",),
    heights={"glimpses": Height(520)},
    imports=("attnviz.ui.components.glimpse_player",),
)

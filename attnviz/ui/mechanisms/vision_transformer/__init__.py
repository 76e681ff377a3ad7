"""Vision transformers: the patches of a picture attend to one another, in every head of every layer."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, gathered, later

# The view that opens on its page and is shown on the home page.
MODEL, DATA, NUMBER = "vision_transformer.digits", "strokes", 23
LAYER, HEAD = "2", "1"

MECHANISM = Mechanism(
    name="vision_transformer",
    title="Vision transformer",
    question="What does each patch of a picture take from the others, layer by layer?",
    page="45_vision_transformer.py",
    url="vision_transformer",
    models=("vision_transformer",),
    is_control=lambda config: config.get("mixing") == "even",
    panel=later(f"{__name__}.derived", "panel_of"),
    papers=("dosovitskiy",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 8 with one patch outlined, and a map of the patches from which a head takes information for it",
        {"model": MODEL, "data": DATA, "number": NUMBER, "query": "4,4", "layer": LAYER, "head": HEAD},
        later(f"{__name__}.layers", "home_tiles"),
    ),
    derived=gathered(__name__, "derived.DERIVED"),
    components=("layer_board", "captured_board"),
    preload=("layer_board",),
    heights={"layers": Height(792, phone=1900), "captured_layers": Height(900, phone=1900)},
    captured=True,
    imports=("attnviz.ui.components.layer_board",),
)

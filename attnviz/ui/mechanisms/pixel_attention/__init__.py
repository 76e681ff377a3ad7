"""Pixel attention: every pixel is a token that attends to all others."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import FurtherPage, Height, HomePicture, Mechanism, OnDrawing, gathered, later

ERASE = "erase"  # URL field that names the net whose drawing is erased

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
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 8 with one pixel outlined, and a map of the pixels from which a head takes information for it",
        {"model": "pixel_attention.digits", "data": "strokes", "number": 23, "query": "7,7", "head": "1"},
        later(f"{__name__}.first_look", "home_tiles"),
    ),
    on_drawing=OnDrawing(ERASE, later(f"{__name__}.erase_drawing", "show")),
    live=later(f"{__name__}.first_look", "show"),
    derived=gathered(__name__, "panels.DERIVED", "experiments.choice.VIEWS"),
    further=(FurtherPage("The paper revisited", "15_paper.py", "paper"),),
    moved={
        "same": ("pixel_attention", "shuffle"),
        **{name: ("paper", name) for name in ("paper", "qkv", "outputs", "temperature", "parts", "one_token")},
    },
    components=("head_switch", "moving_maps"),
    preload=("pixel_viewer",),
    heights={"viewer": Height(560, phone=1456), "home_viewer": Height(520, phone=1000)},
    training={
        "one or eight": {
            "recipe": "pixel_attention.1v8", "data": "strokes", "epochs": "12", "learning_rate": "0.01", "seeds": "0",
        },
        "the same, three seeds": {
            "recipe": "pixel_attention.1v8", "data": "strokes", "epochs": "6", "learning_rate": "0.01", "seeds": "0-2",
        },
    },
    imports=("attnviz.ui.mechanisms.pixel_attention.equations", "attnviz.ui.components.pixel_viewer"),
)  # fmt: skip

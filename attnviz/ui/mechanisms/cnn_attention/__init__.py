"""Attention over blocks: the cells of a convolutional network's last feature map attend to one another."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, gathered, later

# The view that opens on its page and is shown on the home page.
MODEL, DATA, NUMBER = "cnn_attention.digits", "strokes", 23
HEAD = "7"  # the first head's values are 0 at the position it attends to most

MECHANISM = Mechanism(
    name="cnn_attention",
    title="Attention over blocks",
    question="Which parts of a picture does a block of features take its information from?",
    page="40_cnn_attention.py",
    url="cnn_attention",
    models=("cnn_attention",),
    is_control=lambda config: config.get("attention") != "blocks",
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("wu",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A handwritten 8 with one block outlined, and a map of the blocks from which a head takes information for it",
        {"model": MODEL, "data": DATA, "number": NUMBER, "query": "3,4", "head": HEAD},
        later(f"{__name__}.stages", "home_tiles"),
    ),
    derived=gathered(__name__, "view.CONVOLUTIONS_VIEW", "experiments.WITHIN"),
    preload=("pixel_viewer",),
    heights={"blocks": Height(560, phone=1456), "convolutions": Height(700)},
    imports=("attnviz.ui.components.pixel_viewer", "attnviz.ui.components.stage_maps"),
)

"""Spatial transformers: a network resamples its picture at a grid that it computes from the picture."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, gathered, later

# The view that opens on its page and is shown on the home page.
MODEL, DATA, NUMBER = "spatial_transformer.rotated", "rotated_strokes", 23

MECHANISM = Mechanism(
    name="spatial_transformer",
    title="Spatial transformer",
    question="Where does a network sample its picture, and does that undo what was done to it?",
    page="60_spatial_transformer.py",
    url="spatial_transformer",
    models=("spatial_transformer",),
    is_control=lambda config: config.get("transform", "affine") == "none",
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("jaderberg",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A rotated digit with the outline of the grid at which a network samples it, and what the network sees",
        {"model": MODEL, "data": DATA, "number": NUMBER},
        later(f"{__name__}.grids", "home_tiles"),
    ),
    derived=gathered(__name__, "view.GRID_VIEW", "view.SAMPLED"),
    components=("sampling_grid",),
    preload=("sampling_grid",),
    heights={"grid": Height(520, phone=1270)},
    imports=("attnviz.ui.components.sampling_grid",),
)

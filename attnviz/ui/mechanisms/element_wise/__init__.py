"""Element-wise attention: every pixel is weighted by its share of its row and of its column."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, gathered, later

MECHANISM = Mechanism(
    name="element_wise",
    title="Element-wise attention",
    question="What remains of a pixel after each step of a layer?",
    page="20_element_wise.py",
    url="element_wise",
    models=("element_wise",),
    controls=("vgg_control", "plain_conv"),
    is_control=lambda config: config.get("mode", "learnt") != "learnt",  # its relevance is the same for all pictures
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("bacochina",),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A picture of a boot, and the weights of its pixels in one head: the more violet, the more remains",
        {"model": "element_wise.fashion-b", "data": "fashion_mnist", "number": 0, "pixel": "16,12", "inside": "no"},
        later(f"{__name__}.stages", "home_tiles"),
    ),
    derived=gathered(__name__, "view.STAGES_VIEW", "view.OF_HEADS", "view.FILM", "derived.DERIVED"),
    components=("stage_grid",),
    preload=("stage_grid",),
    heights={"stages": Height(612)},
    training={"ten digits, element by element": {"recipe": "element_wise.digits", "data": "strokes", "epochs": "2"}},
    imports=("attnviz.ui.components.stage_grid",),
)

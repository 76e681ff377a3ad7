"""One recipe, and a paper that gives one figure."""

from attnviz.recipes.paper import Paper, PaperFigure
from attnviz.recipes.recipe import Augmentation, Probe, Recipe, Test

SMALL = Recipe(
    model="colour_stages",
    name="digits",
    title="Coloured digits in two stages",
    why="It trains in a few seconds.",
    config={"channels": 6},
    data="coloured_digits",
    classes=tuple(range(10)),
    validation=0.2,
    augmentation=Augmentation(crop=2),
    augment="instead",
    optimiser="sgd",
    momentum=0.9,
    learning_rate=0.05,
    schedule="one_cycle",
    batch=32,
    epochs=3,
    probes=(Probe(name="tap_zeros", of="stages.0.after_relu"),),
    tests=(Test(data="coloured_digits"),),
)

RECIPES = (SMALL,)
PAPER = Paper(
    name="colour_stages",
    title="Stages in Colour",
    source="Somebody, 2026",
    figures=(PaperFigure(what="Two stages", where="accuracy", value=0.5, checkpoints=(SMALL.key,)),),
)

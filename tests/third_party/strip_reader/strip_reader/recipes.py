"""One recipe: a few steps, chosen on a validation part that the data set has."""

from attnviz.recipes.paper import Paper, PaperFigure
from attnviz.recipes.recipe import Probe, Recipe, Test

SMALL = Recipe(
    model="strip_reader",
    name="digits",
    title="Short strips, digit by digit",
    why="It trains in a few seconds.",
    config={"sizes": (32, 24)},
    data="short_strips",
    classes=tuple(range(10)),
    validation="validation",
    objective="each_step",
    learning_rate=1e-2,
    batch=32,
    epochs=4,
    probes=(Probe(name="tap_zeros", of="reader.seen"),),
    tests=(Test(data="short_strips", figures=("accuracy", "symbols")),),
)

RECIPES = (SMALL,)
PAPER = Paper(
    name="strip_reader",
    title="Strips, Digit by Digit",
    source="Somebody, 2026",
    figures=(PaperFigure(what="Short strips", where="accuracy", value=None, checkpoints=(SMALL.key,)),),
)

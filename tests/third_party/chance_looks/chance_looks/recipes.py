"""One recipe, with an objective of this package's own."""

from attnviz.recipes.paper import Paper, PaperFigure
from attnviz.recipes.recipe import Recipe, Test

SMALL = Recipe(
    model="chance_looks",
    name="digits",
    title="Strayed digits by chance",
    why="It trains in a few seconds.",
    config={"looks": 4},
    data="strayed_digits",
    classes=tuple(range(10)),
    validation=0.2,
    objective="smoothed",
    objective_config={"share": 0.2},
    watch="surprise",
    learning_rate=1e-2,
    batch=32,
    epochs=3,
    tests=(Test(data="strayed_digits", figures=("accuracy", "surprise")),),
)

RECIPES = (SMALL,)
PAPER = Paper(
    name="chance_looks",
    title="Looks by Chance",
    source="Somebody, 2026",
    figures=(PaperFigure(what="Four looks", where="accuracy", value=None, checkpoints=(SMALL.key,)),),
)

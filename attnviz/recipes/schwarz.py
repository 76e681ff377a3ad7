"""Recipes after "Multi-Head Attention For Binary Classification", Schwarz, 2021: MNIST's ones against its eights.

What the paper leaves open is chosen here, on validation data: head size 1, batch 32, standardised intensities, a fifth
of the training pictures to stop by. Its test share of 20 % is MNIST's own test set here: 2,109 ones and eights.
"""

from attnviz.recipes.recipe import Paper, PaperFigure, Recipe, Test

MNIST_MEAN, MNIST_STD = 0.1307, 0.3081  # of the intensities of MNIST's training pictures

SIMPLE = Recipe(
    model="pixel_attention",
    name="1v8",
    title="One or eight, one head",
    why="The paper's simple model: one head, every pixel a token.",
    config={"heads": 1, "head_size": 1, "mean": MNIST_MEAN, "std": MNIST_STD},
    data="mnist",
    classes=(8, 1),
    validation=0.2,
    learning_rate=1e-4,
    batch=32,
    epochs=200,
    patience=5,
    tests=(Test(data="mnist"), Test(data="strokes", count=2000)),
)

RECIPES = (
    SIMPLE,
    SIMPLE.model_copy(
        update={
            "model": "pixel_line",
            "title": "One or eight, a line through the pixels",
            "why": "The control of the simple model: the same pictures without attention.",
            "config": {"mean": MNIST_MEAN, "std": MNIST_STD},
        }
    ),
)

PAPER = Paper(
    name="schwarz",
    title="Multi-Head Attention For Binary Classification",
    source="Schwarz, 2021",
    figures=(
        PaperFigure(
            what="The paper's simple model",
            value=0.979,
            where="accuracy on some 20 % of its ones and eights",
            checkpoints=("pixel_attention.1v8", "pixel_line.1v8"),
        ),
    ),
)

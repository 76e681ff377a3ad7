"""Recipes after "Multi-Head Attention For Binary Classification", Schwarz, 2021: ones against eights of MNIST.

What the paper leaves open is chosen here on validation data: head size 1 for the simple model, batches, standardised
intensities, and a fifth of the training pictures for early stopping. Its test share of 20 % is MNIST's own test set
here: 2,109 ones and eights. Ten digits, positions and all controls are our additions, for the paper's questions.
"""

from attnviz.recipes.axes import Axis
from attnviz.recipes.paper import Paper, PaperFigure, Question
from attnviz.recipes.recipe import TEN_CLASSES, Augmentation, Recipe, Test, changed

MNIST_MEAN, MNIST_STD = 0.1307, 0.3081  # mean and standard deviation of the intensities
INK_STD = 0.0433  # standard deviation of a picture's mean intensity, over MNIST's training pictures
STANDARD = {"mean": MNIST_MEAN, "std": MNIST_STD}
# At the first step, scores differ between keys by about 2 (standard deviation): the softmax is neither a plain mean,
# from which nothing is learnt, nor concentrated on one token.
PLACES = {
    "positions": "sinusoidal_2d",
    "position_features": 16,
    "position_longest": 20.0,
    "query_key_std": 0.6,
}


def rotated(sampling: str) -> Augmentation:
    """Return the paper's augmentation, with amounts of shift and stretch that are chosen here."""
    return Augmentation.model_validate(
        {"rotation": 180, "shift": 0.1, "stretch": (0.8, 1.2), "sampling": (sampling,)}, strict=False
    )


BILINEAR, NEAREST, NOISE = rotated("bilinear"), rotated("nearest"), Augmentation(noise=0.2)
TESTS = (
    Test(data="mnist"),
    Test(data="mnist", augmentation=BILINEAR, draws=5),
    Test(data="mnist", augmentation=NEAREST, draws=5),
    Test(data="strokes", count=2000),
)

SIMPLE = Recipe(
    model="pixel_attention",
    name="1v8",
    title="One or eight, one head",
    why="The paper's simple model: one head, and every pixel is a token.",
    config={"heads": 1, "head_size": 1, **STANDARD},
    data="mnist",
    classes=(8, 1),
    validation=0.2,
    learning_rate=1e-4,
    batch=32,
    epochs=200,
    patience=5,
    control="pixel_line.1v8",
    tests=TESTS,
)


ONE_TOKEN = changed(
    SIMPLE,
    name="1v8-one-token",
    title="One or eight, the picture as one token",
    why="As in the paper's published weights: with one token every weight is 1, so query and key are never trained.",
    config={"heads": 1, "head_size": 1, "patch": 28, "mean": 0.0, "std": 1 / 255},
)

UNSCALED = changed(
    SIMPLE,
    name="1v8-unscaled",
    title="One or eight, intensities 0 to 255",
    why="Intensities as in the paper's files: scores reach tens of thousands, and the softmax becomes a hard maximum.",
    config={"heads": 1, "head_size": 1, "mean": 0.0, "std": 1 / 255},
    epochs=12,
)

AUGMENTED = changed(
    SIMPLE,
    name="1v8-augmented",
    control="histogram_mlp.1v8-augmented",
    title="One or eight, rotated, 24 heads",
    why="The paper's supplementary model, on pictures and their variants; learning rate and initial scores are ours.",
    config={"heads": 24, "head_size": 6, "query_key_std": 1.5, **STANDARD},
    augmentation=BILINEAR,
    learning_rate=5e-3,
    schedule="cosine",
    batch=128,
    epochs=40,
    patience=40,
)

AUGMENTED_NEAREST = changed(
    AUGMENTED,
    name="1v8-augmented-nearest",
    control="histogram_mlp.1v8-augmented-nearest",
    title="One or eight, rotated without blur, 24 heads",
    why="The same with nearest instead of bilinear sampling, so that grey levels no longer reveal the rotation.",
    augmentation=NEAREST,
)

AUGMENTED_SLOWLY = changed(
    AUGMENTED,
    name="1v8-augmented-slowly",
    title="One or eight, rotated, 24 heads, the paper's settings",
    why="The same at the paper's learning rate of 1e-4 and with Keras' initialisation, for 20 epochs.",
    config={"heads": 24, "head_size": 6, **STANDARD},
    learning_rate=1e-4,
    schedule="constant",
    batch=32,
    epochs=20,
)

NOISY = changed(
    AUGMENTED,
    name="1v8-noise",
    control="pixel_line.1v8",
    title="One or eight, noise on the background, 24 heads",
    why="The paper's proposal: background noise, so that the network cannot rely on an empty background.",
    augmentation=NOISE,
    epochs=15,
    tests=(*TESTS, Test(data="mnist", augmentation=NOISE)),
)

AUGMENTED_POSITIONS = changed(
    AUGMENTED,
    name="1v8-augmented-positions",
    control=AUGMENTED.key,
    title="One or eight, rotated, 24 heads with positions",
    why="The same 24 heads with positions; on a grid of 14 x 14, because tokens no longer repeat and cost more time.",
    config={
        "heads": 24, "head_size": 6, "pool": 2, **PLACES, **STANDARD,
    },
    learning_rate=4e-3,
    batch=64,
    epochs=12,
    patience=12,
)  # fmt: skip

TEN = changed(
    SIMPLE,
    name="digits",
    control="pixel_mlp.digits-moved",
    title="Ten digits with positions",
    why="It knows all digits. Slightly rotated and shifted variants are added, so that it knows other handwriting too.",
    config={
        "heads": 8, "head_size": 8, "pool": 2, **PLACES, **STANDARD,
    },
    classes=TEN_CLASSES,
    validation=0.1,
    augmentation=Augmentation(rotation=10, shift=0.07, stretch=(0.85, 1.15)),
    learning_rate=4e-3,
    schedule="cosine",
    batch=64,
    epochs=20,
    patience=20,
)  # fmt: skip

TEN_WITHOUT = changed(
    TEN,
    name="digits-no-positions",
    control="pixel_line.digits",
    title="Ten digits without positions",
    why="For comparison: without positions the model is nearly logistic regression on the pixels.",
    config={"heads": 8, "head_size": 8, "query_key_std": 1.5, **STANDARD},
    augmentation=None,
    batch=128,
    epochs=8,
    patience=8,
)


TEN_MOVED = changed(TEN, name="digits-moved", control=None)  # the same pictures, variants and epochs
TEN_MOVED_WITHOUT = changed(
    TEN_MOVED, name="digits-moved-no-positions", title="Ten digits, moved, without positions", cost="110 core-minutes",
    why="The model of ten digits without positions, on the same pictures and for as long.",
    config={"heads": 8, "head_size": 8, "pool": 2, "query_key_std": 1.5, **STANDARD}, control="pixel_line.digits-moved",
)  # fmt: skip
TEN_MOVED_LINE = changed(
    TEN_MOVED, model="pixel_line", title="Ten digits, moved: logistic regression on the pixels",
    why="Each pixel has its own weight; on the same pictures as the model of ten digits, and for as long.",
    config=STANDARD, learning_rate=1e-3,
)  # fmt: skip
TEN_MOVED_MLP = changed(
    TEN_MOVED, model="pixel_mlp", title="Ten digits, moved: a small network on the pixels", weights="float16",
    why="It sees every pixel at once, with as many parameters as the model of ten digits, on the same pictures.",
    config={"hidden": 48}, learning_rate=1e-3,
)  # fmt: skip

TEN_PLAIN = changed(TEN, augmentation=None)  # slightly moved variants would only blur what the controls learn


def controls(base: Recipe, task: str) -> tuple[Recipe, ...]:
    """Return the controls of a recipe, four models without attention, titled by the task."""
    epochs = 40 if len(base.classes) == 2 else 12  # there are five times as many pictures of ten digits
    few = changed(base, control=None, schedule="cosine", batch=128, epochs=epochs, patience=epochs)
    # On few pictures logistic regression on the pixels reaches a lower validation loss with small steps.
    line = changed(SIMPLE, control=None) if base == SIMPLE else changed(few, learning_rate=1e-3)
    return (
        changed(
            few, model="ink", title=f"{task}: the amount of ink", why="One number per picture.",
            config={"mean": MNIST_MEAN, "std": INK_STD}, learning_rate=1e-2,
        ),
        changed(
            few, model="histogram_line", title=f"{task}: logistic regression on 16 intensities",
            why="How often each intensity occurs, but not where.", config={"bins": 16}, learning_rate=1e-2,
        ),
        changed(
            few, model="histogram_mlp", title=f"{task}: a small network on 256 intensities",
            why="The full histogram and a hidden layer: what a model without positions has to beat.",
            config={"bins": 256, "hidden": 128}, learning_rate=3e-3,
        ),
        changed(
            line, model="pixel_line", title=f"{task}: logistic regression on the pixels",
            why="Each pixel has its own weight.", config=STANDARD,
        ),
    )  # fmt: skip


RECIPES = (
    SIMPLE,
    ONE_TOKEN,
    UNSCALED,
    *controls(SIMPLE, "One or eight"),
    AUGMENTED,
    AUGMENTED_NEAREST,
    AUGMENTED_SLOWLY,
    NOISY,
    AUGMENTED_POSITIONS,
    *controls(AUGMENTED, "One or eight, rotated"),
    *controls(AUGMENTED_NEAREST, "One or eight, rotated without blur"),
    TEN,
    TEN_WITHOUT,
    TEN_MOVED_MLP,
    TEN_MOVED_LINE,
    TEN_MOVED_WITHOUT,
    *controls(TEN_PLAIN, "Ten digits"),
    *controls(changed(TEN_PLAIN, name="digits-augmented", augmentation=BILINEAR), "Ten digits, rotated"),
)

VARIED = {
    SIMPLE.key: (
        Axis(name="heads", choices=(1, 8, 15, 25)),
        Axis(name="skip", choices=(False, True)),
        Axis(name="learning_rate", choices=(0.001, 0.01)),
        Axis(name="dropout", choices=(0.0, 0.2, 0.4, 0.6, 0.8)),
    )
}  # the values that occur in the 33 trials of the paper's search


def named(name: str) -> tuple[str, ...]:
    """Return the checkpoints of the recipes of this name, those with attention first."""
    return tuple(recipe.key for recipe in RECIPES if recipe.name == name)


PAPER = Paper(
    name="schwarz",
    title="Multi-Head Attention For Binary Classification",
    source="Schwarz, 2021",
    first=(Question(checkpoint=TEN_WITHOUT.key),),
    questions=(
        Question(checkpoint=TEN.key, control=TEN_MOVED_WITHOUT.key),
        Question(checkpoint=TEN.key),
        Question(checkpoint=TEN.key, control=TEN_MOVED_LINE.key),
        Question(checkpoint=SIMPLE.key),
        Question(checkpoint=AUGMENTED.key),
        Question(checkpoint=AUGMENTED_POSITIONS.key),
    ),
    figures=(
        PaperFigure(
            what="The paper's simple model",
            value=0.979,
            tested=False,
            where="accuracy on some 20 % of its ones and eights",
            checkpoints=(SIMPLE.key, ONE_TOKEN.key, UNSCALED.key, *(n for n in named("1v8") if n != SIMPLE.key)),
            compared=(SIMPLE.key,),
        ),
        PaperFigure(
            what="The paper's supplementary model",
            value=0.93,
            tested=False,
            where="accuracy on its validation pictures, rotated, shifted and stretched",
            checkpoints=(
                AUGMENTED.key, AUGMENTED_NEAREST.key, AUGMENTED_SLOWLY.key, NOISY.key, AUGMENTED_POSITIONS.key,
                *(name for name in named("1v8-augmented") + named("1v8-augmented-nearest")
                  if not name.startswith(AUGMENTED.model)),
            ),
            compared=(AUGMENTED.key, AUGMENTED_POSITIONS.key),
        ),
        PaperFigure(
            what="Not in the paper: all ten digits",
            value=None,
            where="accuracy on MNIST's test pictures",
            checkpoints=(
                TEN.key, TEN_MOVED_MLP.key, TEN_MOVED_LINE.key, TEN_MOVED_WITHOUT.key, TEN_WITHOUT.key,
                *named("digits")[1:], *named("digits-augmented"),
            ),
            compared=(TEN.key,),
        ),
    ),
)  # fmt: skip

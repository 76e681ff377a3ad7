"""Recipes after "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu, Lee, 2018.

The rows of its two tables are trained with its settings as far as it states them. The rest is taken from the
implementations that its settings come from: batches of 32, a tenth of Fashion-MNIST's training pictures for validation,
momentum 0.5 for SGD. In these rows the gradient of the policy is correct. `cluttered-6-as-published` has the broken
gradient of the implementation with these settings, which is very likely the paper's, although the paper does not name
it. Our own recipes and the controls differ as each of them states.
"""

import math
from collections.abc import Sequence
from typing import Any

from attnviz.recipes.recipe import TEN_CLASSES, Ablation, Augmentation, Group, Plateau, Recipe, Test, changed

CLUTTERED: dict[str, Any] = {"rows": 40, "columns": 40}
LOOKING = ("accuracy", "accuracy_one_draw", "accuracy_mean_path", "spread")
GLIMPSES = 6


def tests(data: str, figures: Sequence[str] = ("accuracy",)) -> tuple[Test, ...]:
    """Return the tests of a data set; cluttered digits are tested on the paper's 1,000 pictures and on 10,000."""
    whole = Test(data=data, figures=tuple(figures))
    return (whole.model_copy(update={"count": 1000}), whole) if data.startswith("cluttered") else (whole,)


def ring(radius: float, glimpses: int = GLIMPSES, centre: bool = False) -> list[list[float]]:
    """Return a path around the centre of the picture, (row, column) of each glimpse in pixels from the centre. The
    first on the ring lies above it and the others follow clockwise; `centre` adds a glimpse at the centre before them.
    """
    around = glimpses - centre
    angles = [2 * math.pi * number / around for number in range(around)]
    path = [[round(-radius * math.cos(angle), 3), round(radius * math.sin(angle), 3)] for angle in angles]
    return [[0.0, 0.0], *path] if centre else path


# --- Table 1: the recurrent attention model with the paper's settings

CLUTTERED_6 = Recipe(
    model="recurrent_attention",
    name="cluttered-6",
    title="Cluttered digits, 6 glimpses",
    why="The paper's settings: three scales of 12 x 12, standard deviation 0.17, one layer before the mean.",
    config={**CLUTTERED, "glimpses": GLIMPSES, "size": 12, "scales": 3, "location_std": 0.17},
    data="cluttered_mnist",
    classes=TEN_CLASSES,
    validation="validation",
    objective="reinforcement",
    learning_rate=3e-4,
    batch=32,
    epochs=200,
    patience=50,
    watch="accuracy",
    weights="float16",
    control="recurrent_attention.cluttered-random",
    tests=tests("cluttered_mnist", LOOKING),
)


def paper_row(name: str, title: str, why: str, config: dict[str, Any], **changes: Any) -> Recipe:
    """Return a row of Table 1, given by its differences from the row of six glimpses on cluttered digits."""
    return changed(CLUTTERED_6, name=name, title=title, why=why, config={**CLUTTERED_6.config, **config}, **changes)


CLUTTERED_4 = paper_row(
    "cluttered-4", "Cluttered digits, 4 glimpses", "The paper's row with fewer glimpses.", {"glimpses": 4}
)
CLUTTERED_8 = paper_row(
    "cluttered-8", "Cluttered digits, 8 glimpses", "The paper's best row on cluttered digits.", {"glimpses": 8}
)
SGD = {"optimiser": "sgd", "momentum": 0.5, "weights": None}
CLUTTERED_SGD_2 = paper_row(
    "cluttered-6-sgd-1e-2", "Cluttered digits, 6 glimpses, SGD at 0.01", "The paper's row with SGD.", {},
    learning_rate=1e-2, **SGD,
)  # fmt: skip
CLUTTERED_SGD_3 = paper_row(
    "cluttered-6-sgd-1e-3", "Cluttered digits, 6 glimpses, SGD at 0.001", "The paper's row with SGD.", {},
    learning_rate=1e-3, **SGD,
)  # fmt: skip
ON_FASHION = {"data": "fashion_mnist", "validation": 0.1, "tests": tests("fashion_mnist", LOOKING)}
FASHION_PIXELS = "pixel_mlp.fashion"
FASHION_8X8X1 = paper_row(
    "fashion-8x8x1", "Fashion-MNIST, one scale of 8 x 8",
    "The only retina of the paper that reads fewer pixels in six glimpses than the picture has.",
    {"rows": 28, "columns": 28, "size": 8, "scales": 1}, control=FASHION_PIXELS, **ON_FASHION,
)  # fmt: skip
FASHION_7X7X3 = paper_row(
    "fashion-7x7x3", "Fashion-MNIST, three scales of 7 x 7", "The paper's best row on Fashion-MNIST.",
    {"rows": 28, "columns": 28, "size": 7, "scales": 3}, control=FASHION_PIXELS, **ON_FASHION,
)  # fmt: skip
AS_PUBLISHED = paper_row(
    "cluttered-6-as-published", "Cluttered digits, 6 glimpses, as published",
    "The gradient that the paper very likely used: the draw is not detached, and its density is taken where it was "
    "squashed to.",
    {"squash": "tanh", "density_at": "location", "detach": False},
)  # fmt: skip

# --- Our recipes, and their controls

OURS = changed(
    CLUTTERED_6,
    name="cluttered",
    title="Cluttered digits, ours",
    why="Standard deviation 0.1, a hidden layer before the mean, and a falling rate over 150 epochs.",
    config={**CLUTTERED_6.config, "location_std": 0.1, "location_hidden": 128},
    learning_rate=1e-3,
    schedule="cosine",
    epochs=150,
    patience=None,
    ablations=(Ablation(name="mean", of="glimpses.location"), Ablation(name="shuffled", of="glimpses.location")),
)


def like_ours(name: str, title: str, why: str, config: dict[str, Any], **changes: Any) -> Recipe:
    """Return a recipe that differs from ours in its config and in the given fields."""
    return changed(
        OURS, name=name, title=f"Cluttered digits, {title}", why=why, config={**OURS.config, **config}, **changes
    )


EVERY_GLIMPSE = like_ours(
    "cluttered-every-glimpse", "a loss at every glimpse",
    "With a loss after each glimpse, the belief after the first ones means something.", {},
    objective_config={"every_glimpse": 1.0},
)  # fmt: skip
FIXED = {"policy": "fixed", "location_hidden": None}
SHORT = like_ours(
    "cluttered-50-epochs", "50 epochs", "As long as the models that look at the same places on every picture.", {},
    epochs=50, weights=None, control="recurrent_attention.cluttered-ring",
)  # fmt: skip
RANDOM = like_ours(
    "cluttered-random", "random locations", "Every location is drawn at random, in training and in tests.",
    {"policy": "random", "location_hidden": None}, ablations=(), control=None,
)  # fmt: skip
CENTRE = like_ours(
    "cluttered-centre", "always at the centre", "The same coarse glimpse of the centre, six times.",
    {**FIXED, "path": ring(0.0)}, ablations=(), epochs=50, control=None,
)  # fmt: skip
RING = like_ours(
    "cluttered-ring", "on a ring", "Six locations around the centre, the same for all pictures.",
    {**FIXED, "path": ring(10.0)}, ablations=(), epochs=50, control=None,
)  # fmt: skip
ORACLE = like_ours(
    "cluttered-oracle", "an oracle",
    "The digit's centre, then a ring of 6 pixels around it. The pictures are moved so that the digit is in the middle: "
    "the retina sees the same as if it had been told where the digit is.",
    {**FIXED, "rows": 52, "columns": 52, "path": ring(6.0, centre=True)}, ablations=(), epochs=50,
    control=None, data="cluttered_mnist_centred", tests=tests("cluttered_mnist_centred", LOOKING),
)  # fmt: skip

FASHION = changed(
    OURS,
    name="fashion",
    title="Fashion-MNIST, ours",
    why="Two scales of 14 x 14 that begin at the centre and stay near it; a floor keeps the policy from choosing the "
    "same locations for all pictures.",
    config={
        "glimpses": GLIMPSES, "size": 14, "scales": 2, "location_std": 0.1, "location_hidden": 128, "first": "centre",
        "reach": 0.6,
    },
    objective_config={"floor": 0.2},
    batch=64,
    epochs=40,
    control="recurrent_attention.fashion-ring",
    **ON_FASHION,
)  # fmt: skip
FASHION_FREE = changed(
    FASHION,
    name="fashion-collapsed",
    title="Fashion-MNIST, a collapsed policy",
    why="The same with a random first location, without a limited reach and without a floor.",
    config={"glimpses": GLIMPSES, "size": 14, "scales": 2, "location_std": 0.1, "location_hidden": 128},
    objective_config={},
)
FASHION_RING = changed(
    FASHION,
    name="fashion-ring",
    title="Fashion-MNIST, on a ring",
    why="The centre, then five locations around it, the same for all pictures.",
    config={"glimpses": GLIMPSES, "size": 14, "scales": 2, "policy": "fixed", "path": ring(6.0, centre=True)},
    objective_config={},
    control=None,
    ablations=(),
)
DIGITS_GLIMPSES = changed(
    FASHION,
    name="digits",
    title="Ten digits in glimpses",
    why="For the draw page: one scale of 8 x 8, so that six glimpses read 384 of 784 pixels.",
    config={
        "glimpses": GLIMPSES, "size": 8, "scales": 1, "location_std": 0.1, "location_hidden": 128, "first": "centre",
        "reach": 0.6,
    },
    objective_config={"floor": 0.2, "every_glimpse": 0.5},
    data="mnist",
    epochs=30,
    control="pixel_mlp.digits-moved",
    tests=(*tests("mnist", LOOKING), Test(data="strokes", count=2000)),
)  # fmt: skip
# At the others' rate the means reach the limits of tanh within an epoch and stay at an edge, whatever the picture. At
# 3e-4 the path is useful: on another picture's path the answers are 9 points worse (validation, 6 epochs, one scale).
DIGITS_TWO_SCALES = changed(
    DIGITS_GLIMPSES,
    name="digits-two-scales",
    title="Ten digits in glimpses, two scales",
    why="For the draw page: two scales of 8 x 8, moved variants with thin and bold lines, a lower rate of the policy.",
    config={**DIGITS_GLIMPSES.config, "scales": 2, "location_std": 0.2},
    augmentation=Augmentation(rotation=15, shift=0.1, stretch=(0.7, 1.2), pen=(-0.4, 1.0)),
    augment="instead",
    learning_rate=2e-3,
    groups=(
        Group(parameters=("glimpses.mean.*",), learning_rate=3e-4),
        Group(parameters=tuple(f"glimpses.{part}.*" for part in (
            "what", "where", "from_glimpse", "from_hidden", "classifier", "baseline",
        ))),
    ),
    batch=256,
    epochs=26,
)  # fmt: skip

# --- Table 2: the convolutional network and its attention

PLAIN = Recipe(
    model="cnn_attention",
    name="cluttered-plain",
    title="Cluttered digits, the plain network",
    why="The paper's convolutional network.",
    config={**CLUTTERED, "attention": "none", "output": None},
    data="cluttered_mnist",
    classes=TEN_CLASSES,
    validation="validation",
    learning_rate=1e-3,
    schedule="plateau",
    plateau=Plateau(factor=0.5, patience=1, lowest=1e-4),
    batch=32,
    epochs=100,
    patience=2,
    watch="accuracy",
    weights=None,
    tests=tests("cluttered_mnist"),
)

_NETS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("blocks", "attention over blocks", "Every block attends to all blocks, as the paper describes.",
     {"attention": "blocks", "output": 32}),
    ("within", "attention within blocks",
     "As in the implementation that the settings come from: features attend within their block, blocks do not.",
     {"attention": "within", "output": 32}),
    ("zero", "attention set to zero",
     "The same layers and parameters, but attention contributes nothing: all of the saving remains.",
     {"attention": "zero", "output": 32}),
    ("narrow", "the narrow plain network", "No attention; a convolution makes the blocks as narrow as attention does.",
     {"attention": "none", "output": 32}),
)  # fmt: skip


def nets(base: Recipe, task: str, title: str, kept: Sequence[str]) -> tuple[Recipe, ...]:
    """Return the four narrower networks derived from a plain one."""
    return tuple(
        changed(
            base, name=f"{task}-{kind}", title=f"{title}, {words}", why=why, config={**base.config, **config},
            weights="float16" if kind in kept else None,
            control=f"{base.model}.{task}-zero" if config["attention"] in ("blocks", "within") else None,
        )
        for kind, words, why, config in _NETS
    )  # fmt: skip


CLUTTERED_NETS = (PLAIN, *nets(PLAIN, "cluttered", "Cluttered digits", ("blocks", "within", "zero", "narrow")))
FASHION_PLAIN = changed(
    PLAIN, name="fashion-plain", title="Fashion-MNIST, the plain network", config={"attention": "none", "output": None},
    data="fashion_mnist", validation=0.1, tests=tests("fashion_mnist"),
)  # fmt: skip
FASHION_NETS = (FASHION_PLAIN, *nets(FASHION_PLAIN, "fashion", "Fashion-MNIST", ("blocks",)))
DIGITS_BLOCKS = changed(
    FASHION_NETS[1], name="digits", title="Ten digits in blocks", why="For the draw page: attention over 36 blocks.",
    control="plain_conv.digits",
    data="mnist", tests=(Test(data="mnist"), Test(data="strokes", count=2000)),
)  # fmt: skip

# --- Without glimpses: a small network of the same size as the recurrent one

MLP = changed(
    PLAIN, model="pixel_mlp", name="cluttered", title="Cluttered digits: a small network on the pixels",
    why="It sees every pixel at once, with about as many parameters as the paper's recurrent network.",
    config={**CLUTTERED, "hidden": 159}, weights="float16", epochs=60, patience=None, schedule="cosine",
)  # fmt: skip
FASHION_MLP = changed(
    MLP, name="fashion", title="Fashion-MNIST: a small network on the pixels", config={"hidden": 277}, epochs=30,
    data="fashion_mnist", validation=0.1, tests=tests("fashion_mnist"),
)  # fmt: skip
LINE = changed(
    MLP, model="pixel_line", title="Cluttered digits: logistic regression", why="Each pixel has its own weight.",
    config={**CLUTTERED, "mean": 0.0772, "std": 0.2455}, epochs=30,
)  # fmt: skip

RECIPES = (
    CLUTTERED_4,
    CLUTTERED_6,
    CLUTTERED_8,
    CLUTTERED_SGD_2,
    CLUTTERED_SGD_3,
    FASHION_8X8X1,
    FASHION_7X7X3,
    AS_PUBLISHED,
    OURS,
    EVERY_GLIMPSE,
    SHORT,
    RANDOM,
    CENTRE,
    RING,
    ORACLE,
    FASHION,
    FASHION_FREE,
    FASHION_RING,
    DIGITS_GLIMPSES,
    DIGITS_TWO_SCALES,
    *CLUTTERED_NETS,
    *FASHION_NETS,
    DIGITS_BLOCKS,
    MLP,
    FASHION_MLP,
    LINE,
)

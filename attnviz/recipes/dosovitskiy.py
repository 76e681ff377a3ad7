"""Recipes after "An Image Is Worth 16x16 Words", Dosovitskiy et al., 2020: small vision transformers.

The paper's networks have 86 million weights or more and learn from hundreds of millions of photographs. Ours have at
most 1.2 million and learn from 54,000 digits or 45,000 small photographs, so their figures are not compared with the
paper's. The convolutional control has the same number of weights within 3 %, and the same pictures and variants. If
attention is even, the weights of queries and keys go to the feed-forward networks.
"""

from typing import Any

from attnviz.recipes.bacochina import CIFAR, CIFAR_MEAN, CIFAR_STD, MNIST_MEAN, MNIST_STD
from attnviz.recipes.paper import Paper, PaperFigure, Question, Retraining
from attnviz.recipes.recipe import TEN_CLASSES, Ablation, Augmentation, Recipe, Test, changed


def heads_off(layers: int) -> tuple[Ablation, ...]:
    """Return the ablations of the trained network: the attention of one layer set to its mean, and of all layers."""
    every = [Ablation(name="mean", of=f"layers.{layer}.attention.mixed") for layer in range(layers)]
    return (Ablation(name="mean", of="layers.*.attention.mixed"), *every)


DIGITS = Recipe(
    model="vision_transformer",
    name="digits",
    title="Ten digits, vision transformer",
    why="49 patches of 4 x 4 pixels and a class token, four layers of four heads.",
    cost="25 core-minutes",
    control="channel_attention.digits-plain",
    config={"patch": 4, "features": 64, "heads": 4, "hidden": 192, "layers": 4, "mean": MNIST_MEAN, "std": MNIST_STD},
    data="mnist",
    classes=TEN_CLASSES,
    validation=0.1,
    augmentation=Augmentation(rotation=10, shift=0.07, stretch=(0.85, 1.15)),
    augment="instead",
    optimiser="adamw",
    learning_rate=2e-3,
    weight_decay=0.05,
    schedule="one_cycle",
    rise=0.2,
    clip=1.0,
    batch=128,
    epochs=12,
    watch="accuracy",
    keep="last",
    weights="float16",
    tests=(Test(data="mnist"), Test(data="strokes", count=2000)),
    ablations=heads_off(4),
)


def variant(base: Recipe, end: str, title: str, why: str, config: dict[str, Any], **changes: Any) -> Recipe:
    """Return a recipe that differs in the network only; its title is appended to the title of the base."""
    return changed(
        base, name=f"{base.name}-{end}", title=f"{base.title}, {title}", why=why, ablations=(),
        config={**base.config, **config}, **{"control": None, **changes},
    )  # fmt: skip


EVEN = variant(
    DIGITS, "even", "attention even", "Every token takes the mean of all, in training too; as many weights.",
    {"mixing": "even", "hidden": 256}, cost="20 core-minutes",
)  # fmt: skip
BLIND = variant(
    DIGITS, "no-positions", "no positions", "The patches are not told where they lie.", {"positions": False},
)  # fmt: skip
REGISTERS = variant(
    DIGITS, "registers", "four registers", "Four further tokens that are no patches and that nothing is read from.",
    {"registers": 4}, control=DIGITS.key,
)  # fmt: skip
STEM = variant(
    DIGITS, "stem", "convolutional stem", "Two convolutions make the tokens, and not one linear layer.",
    {"stem": [32, 64]}, control=DIGITS.control, epochs=6, cost="15 core-minutes",
)  # fmt: skip

COLOUR = changed(
    DIGITS, name="cifar", title="CIFAR-10, vision transformer", data="cifar10", control="vision_transformer.cifar-even",
    why="64 patches of 4 x 4 pixels and a class token, six layers of four heads.", cost="20 core-hours",
    config={"patch": 4, "features": 128, "heads": 4, "hidden": 384, "layers": 6, **CIFAR,
            "mean": CIFAR_MEAN, "std": CIFAR_STD},
    augmentation=Augmentation(mirror=True, crop=4), learning_rate=1e-3, epochs=100, precision="bfloat16", batch=512,
    tests=(Test(data="cifar10"),), ablations=heads_off(6),
)  # fmt: skip
COLOUR_EVEN = variant(
    COLOUR, "even", "attention even", "Every token takes the mean of all, in training too; as many weights.",
    {"mixing": "even", "hidden": 512}, weights=None,
)  # fmt: skip
COLOUR_BLIND = variant(
    COLOUR, "no-positions", "no positions", "The patches are not told where they lie.", {"positions": False},
    weights=None,
)  # fmt: skip
COLOUR_STEM = variant(
    COLOUR, "stem", "convolutional stem", "Two convolutions make the tokens, and not one linear layer.",
    {"stem": [64, 128]}, control=COLOUR.key,
)  # fmt: skip
COLOUR_REGISTERS = variant(
    COLOUR, "registers", "four registers", "Four further tokens that are no patches and that nothing is read from.",
    {"registers": 4}, control=COLOUR.key,
)  # fmt: skip

ON_DIGITS = (DIGITS, EVEN, BLIND, REGISTERS, STEM)
ON_COLOUR = (COLOUR, COLOUR_EVEN, COLOUR_BLIND, COLOUR_STEM, COLOUR_REGISTERS)
RECIPES = (*ON_DIGITS, *ON_COLOUR)


def _figure(what: str, recipes: tuple[Recipe, ...]) -> PaperFigure:
    """Return a comparison of all variants on a data set, for which the paper has no figure."""
    keys = tuple(recipe.key for recipe in recipes)
    return PaperFigure(
        what=what, where="accuracy on its test pictures", value=None, checkpoints=keys, compared=keys[:1]
    )


PAPER = Paper(
    name="dosovitskiy",
    title="An Image Is Worth 16x16 Words: Transformers for Image Recognition at Scale",
    source="Dosovitskiy et al., 2020",
    figures=(
        _figure("Not in the paper: digits", ON_DIGITS),
        _figure("Not in the paper: CIFAR-10, at most 1.2 million weights", ON_COLOUR),
    ),
    first=(Question(checkpoint=DIGITS.key),),
    questions=(Question(checkpoint=DIGITS.key, control=EVEN.key, what="with every attention even"),),
    retrainings=(
        Retraining(
            title=DIGITS.title,
            ablated=DIGITS.key,
            ablation=DIGITS.ablations[0],
            retrained=EVEN.key,
            instead=("what heads add at its mean", "every attention even"),
        ),
    ),
)

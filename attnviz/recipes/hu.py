"""Recipes after "Squeeze-and-Excitation Networks", Hu et al., 2018; with CBAM (Woo et al.) and BAM (Park et al.), 2018.

The papers' networks have millions of weights. Ours are small ones of the same kind, so their figures are not compared
with the papers'. On each data set all variants are trained equally, for the same number of epochs. The plain network is
included twice: unchanged, and widened until it has as many weights as the largest network with gates.
"""

from typing import Any

from attnviz.recipes.bacochina import CIFAR, CIFAR_MEAN, CIFAR_STD, FASHION_MEAN, FASHION_STD, MNIST_MEAN, MNIST_STD
from attnviz.recipes.paper import Paper, PaperFigure, Question, Retraining
from attnviz.recipes.recipe import TEN_CLASSES, Ablation, Augmentation, Recipe, Test, changed

STAGES = 3

PLAIN = Recipe(
    model="channel_attention",
    name="digits-plain",
    title="Ten digits, no gates",
    why="The residual network without gates: what the gates are compared with.",
    cost="4 core-minutes",
    config={"gate": "none", "strides": [2, 2, 2], "blocks": 2, "mean": MNIST_MEAN, "std": MNIST_STD},
    data="mnist",
    classes=TEN_CLASSES,
    validation=0.1,
    augmentation=Augmentation(rotation=10, shift=0.07, stretch=(0.85, 1.15)),
    augment="instead",
    optimiser="sgd",
    momentum=0.9,
    nesterov=True,
    learning_rate=0.1,
    weight_decay=5e-4,
    schedule="one_cycle",
    rise=0.25,
    batch=128,
    epochs=6,
    watch="accuracy",
    keep="last",
    weights="float16",
    tests=(Test(data="mnist"), Test(data="strokes", count=2000)),
)
FASHION_PLAIN = changed(
    PLAIN, name="fashion-plain", title="Fashion-MNIST, no gates", data="fashion_mnist", epochs=10,
    config={**PLAIN.config, "mean": FASHION_MEAN, "std": FASHION_STD}, cost="7 core-minutes",
    augmentation=Augmentation(mirror=True, crop=2), tests=(Test(data="fashion_mnist"),),
)  # fmt: skip
COLOUR_PLAIN = changed(
    FASHION_PLAIN, name="cifar-plain", title="CIFAR-10, no gates", data="cifar10", epochs=17, cost="30 core-minutes",
    config={"gate": "none", **CIFAR, "strides": [1, 2, 2], "blocks": 3, "mean": CIFAR_MEAN, "std": CIFAR_STD},
    augmentation=Augmentation(mirror=True, crop=4), learning_rate=0.2, precision="bfloat16",
    tests=(Test(data="cifar10"),),
)  # fmt: skip


def gated(plain: Recipe, gate: str, title: str, why: str, name: str = "", **changes: Any) -> Recipe:
    """Return the recipe of a plain network with gates and other changes (`reduction` goes into the config). An ablation
    measures block by block what the gates contribute per picture.

    The name follows the task's name in the name of the recipe; it is empty for the main recipe of a task.
    """
    reduction = {"reduction": changes.pop("reduction")} if "reduction" in changes else {}
    blocks = plain.config["blocks"]
    if gate == "bam":
        every = [f"bam.{blocks * stage + blocks - 1}.full_gate" for stage in range(STAGES)]
        together = "bam.*.full_gate"
    else:
        every = [f"blocks.{number}.attention.*gate" for number in range(STAGES * blocks)]
        together = "blocks.*.attention.*gate"
    kinds = ("mean", "shuffled", "one")
    return changed(
        plain,
        name=plain.name.replace("-plain", f"-{name}" if name else ""),
        title=plain.title.replace("no gates", title),
        why=why,
        config={**plain.config, "gate": gate, **reduction},
        control=plain.key,
        ablations=(
            *(Ablation(name=kind, of=together) for kind in kinds),
            *(Ablation(name="mean", of=one) for one in every),
        ),
        **changes,
    )


def widened(plain: Recipe, widths: tuple[int, int, int], **changes: Any) -> Recipe:
    """Return the recipe of a plain network with other widths and further changes."""
    return changed(
        plain, name=plain.name.replace("-plain", "-widened"), title=f"{plain.title}, widened",
        why="As many weights as the largest network with gates, within 1 %, and no gates.", weights=None,
        config={**plain.config, "widths": list(widths)}, **changes,
    )  # fmt: skip


_SE = "squeeze-and-excitation"
_WHY_SE = "A gate for every channel in every block, from the means of all channels; reduction 4."
_WHY_CBAM = "A gate for every channel, then one for every place, in every block; reduction 4."
_WHY_BAM = "A gate for every channel at every place at the end of each stage; reduction 4."


def narrower(plain: Recipe, reduction: int, **changes: Any) -> Recipe:
    """Return squeeze-and-excitation with another reduction."""
    why = f"The same gates with a reduction of {reduction}."
    return gated(plain, "se", f"{_SE}, reduction {reduction}", why, f"se-{reduction}", reduction=reduction, **changes)


SE, CBAM = gated(PLAIN, "se", _SE, _WHY_SE), gated(PLAIN, "cbam", "CBAM", _WHY_CBAM, "cbam", cost="6 core-minutes")
BAM = gated(PLAIN, "bam", "BAM", _WHY_BAM, "bam", cost="6 core-minutes")
DIGITS = (SE, PLAIN, widened(PLAIN, (16, 32, 67)), CBAM, BAM, narrower(PLAIN, 2), narrower(PLAIN, 8))

FASHION_SE = gated(FASHION_PLAIN, "se", _SE, _WHY_SE)
FASHION_CBAM = gated(FASHION_PLAIN, "cbam", "CBAM", _WHY_CBAM, "cbam", cost="10 core-minutes")
FASHION_BAM = gated(FASHION_PLAIN, "bam", "BAM", _WHY_BAM, "bam", cost="10 core-minutes")
FASHION = (
    FASHION_SE, FASHION_PLAIN, widened(FASHION_PLAIN, (16, 32, 67)), FASHION_CBAM, FASHION_BAM,
    narrower(FASHION_PLAIN, 2, weights=None), narrower(FASHION_PLAIN, 8, weights=None),
)  # fmt: skip

COLOUR_SE = gated(COLOUR_PLAIN, "se", _SE, _WHY_SE, cost="35 core-minutes")
COLOUR_CBAM = gated(COLOUR_PLAIN, "cbam", "CBAM", _WHY_CBAM, "cbam", cost="55 core-minutes")
COLOUR = (COLOUR_SE, COLOUR_PLAIN, widened(COLOUR_PLAIN, (16, 34, 64), cost="35 core-minutes"), COLOUR_CBAM)

RECIPES = (*DIGITS, *FASHION, *COLOUR)


def _figure(what: str, where: str, recipes: tuple[Recipe, ...]) -> PaperFigure:
    """Return a comparison of all variants on a data set, for which the papers have no figure."""
    keys = tuple(recipe.key for recipe in recipes)
    compared = tuple(recipe.key for recipe in recipes if recipe.config["gate"] in ("se", "cbam") and len(keys) > 1)
    return PaperFigure(what=what, where=where, value=None, checkpoints=keys, compared=compared[:2])


PAPER = Paper(
    name="hu",
    title="Squeeze-and-Excitation Networks",
    source="Hu et al., 2018; with CBAM, Woo et al., and BAM, Park et al., 2018",
    figures=(
        _figure("Not in the papers: digits", "accuracy on MNIST's test pictures", DIGITS),
        _figure("Not in the papers: Fashion-MNIST", "accuracy on its test pictures", FASHION),
        _figure("Not in the papers: CIFAR-10, at most 0.3 million weights", "accuracy on its test pictures", COLOUR),
    ),
    first=(Question(checkpoint=SE.key),),
    questions=tuple(
        Question(checkpoint=gate.key, control=wide.key, what="with nearly as many weights")
        for gate, wide in ((CBAM, DIGITS[2]), (FASHION_CBAM, FASHION[2]), (COLOUR_CBAM, COLOUR[2]))
    ),
    retrainings=tuple(
        Retraining(
            title=gate.title, ablated=gate.key, ablation=gate.ablations[0], retrained=nets[1].key,
            instead=("gates at their mean", "no gates"),
        )
        for nets in (DIGITS, FASHION, COLOUR)
        for gate in nets
        if gate.ablations
    ),
)  # fmt: skip

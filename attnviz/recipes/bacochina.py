"""Recipes after "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023.

The paper monitors the test pictures while training, with no validation part: 10 epochs of batches of 4,096 (150 steps),
Adam at 1e-3, all weights from N(0, 0.02). We do the same and keep the last weights of the first seed. If the output is
normalised, 150 steps are too few for the running statistics, so they are recomputed at the end. With the lagging
statistics model G answers at chance level, although its training loss is below the paper's.

In the paper, batch normalisation of the relevance has to normalise a variance of 1e-10 with an eps of 1e-5 and so
hardly has an effect. The recipes named `repaired` multiply the relevance so that an even share is 1, take more steps,
and turn blocks of pixels into channels. The same recipes without attention measure its contribution.
"""

from typing import Any

from attnviz.recipes.recipe import TEN_CLASSES, Ablation, Augmentation, Group, Probe, Recipe, Test, changed

FIRST_ARRAY = "layers.0.x_weights[0]"
ARRAYS = ("layers.*.x_weights", "layers.*.y_weights")
FASHION_MEAN, FASHION_STD = 0.286, 0.353  # mean and standard deviation of the training pictures' intensities
NORMED = " After 150 steps the running statistics of its norms lag behind; they are computed anew at the end."
THEIRS = "The settings are the paper's, where it gives them. There was no validation part to choose others by."
RENEWED = (
    " Its running statistics were renewed after one of the models with this norm had answered the test pictures at "
    "chance: that was decided on test pictures."
)
UNTOLD = "There was no validation part, and what other values would give was not recorded."
DECAY = (
    "There was no validation part. The weight decay was looked at again because at 0.01 the model with a learnt "
    "relevance answered fewer than 67 % of the test pictures correctly. 0.3 was taken, with which it answered 68.3 % "
    "of 5,000 validation pictures that were held back for this; what 0.01 gave on them was not recorded. The final "
    "models were trained on all training pictures."
)
CIFAR = {"channels": 3, "rows": 32, "columns": 32}
CIFAR_MEAN, CIFAR_STD = 0.4734, 0.2516
MNIST_MEAN, MNIST_STD = 0.1307, 0.3081


def probes(layers: int) -> tuple[Probe, ...]:
    """Return the probes for a model's curves: first those that the paper logs, then more informative ones."""
    first, last = "layers.0", f"layers.{layers - 1}"
    asked = [
        ("loss_sum", ""),
        ("gradient_mean", FIRST_ARRAY),
        ("gradient_norm", f"{first}.x_weights"),
        ("gradient_zeros", f"{first}.x_weights"),
        *(("parameter_std", f"{layer}.{array}") for layer in (first, last) for array in ("x_weights", "y_weights")),
        *(("tap_variance", f"{layer}.relevance") for layer in (first, last)),
        *(("tap_negatives", f"{layer}.after_norm") for layer in (first, last)),
    ]
    return tuple(Probe(name=name, of=of) for name, of in asked)


def two_optimisers(config: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with which the attention arrays learn at 0.1 and everything else at 1e-3."""
    rest = ("layers.*.conv.*", "classifier.*", *(["layers.*.output_norm.*"] if "output_norm" in config else []))
    return {"groups": (Group(parameters=ARRAYS, learning_rate=0.1), Group(parameters=rest))}


B = Recipe(
    model="element_wise",
    name="fashion-b",
    title="Model B: 8 heads, 2 layers",
    why="The paper's smallest good model: 33,084 parameters, no normalisation of the output.",
    config={"heads": 8, "layers": 2},
    data="fashion_mnist",
    classes=TEN_CLASSES,
    validation=None,
    keep="last",
    learning_rate=1e-3,
    batch=4096,
    epochs=10,
    cost="4 core-minutes",
    control="pixel_line.fashion-paper",
    chosen=THEIRS,
    probes=probes(2),
    tests=(Test(data="fashion_mnist"),),
    ablations=(
        Ablation(name="mean", of="layers.*.normed_relevance"),
        Ablation(name="one", of="layers.*.normed_relevance"),
        Ablation(name="shuffled", of="layers.*.normed_relevance"),
        Ablation(name="zero", of="layers.*.attended"),
    ),
)


def model(letter: str, heads: int, layers: int, norm: bool = False, affine: bool = False) -> Recipe:
    """Return one of the paper's models. With `norm`, its output norm's scale starts at N(0, 0.02) like all weights."""
    config: dict[str, Any] = {"heads": heads, "layers": layers}
    if norm:
        config["output_norm"] = 0.0
    if affine:
        config["relevance_affine"] = True
    words = ", output norm" * norm + ", affine relevance norm" * affine
    counts = f"{heads} head{'s' if heads > 1 else ''}, {layers} layers{words}"
    title = f"Model {letter}: {counts}" if len(letter) == 1 else counts.capitalize()
    name = f"fashion-{letter.lower()}{'-affine' if affine else ''}"
    why = "One of the paper's models." + NORMED * norm
    cost = f"{max(2, round(heads * layers / 4))} core-minutes"
    keep = "renewed" if norm else "last"
    chosen = THEIRS + RENEWED * norm
    return changed(
        B, name=name, title=title, why=why, config=config, cost=cost, keep=keep, chosen=chosen, probes=probes(layers)
    )


A, C = model("A", 8, 2, norm=True), model("C", 16, 2, norm=True)
A_AFFINE, C_AFFINE = model("A", 8, 2, norm=True, affine=True), model("C", 16, 2, norm=True, affine=True)
D, E, F = model("D", 16, 2), model("E", 8, 4, norm=True), model("F", 8, 4)
G, H = model("G", 16, 4, norm=True), model("H", 16, 4)
ONE_HEAD, ONE_HEAD_NORM = model("one-head", 1, 2), model("one-head-norm", 1, 2, norm=True)

NO_SKIP_CONFIG = {"heads": 8, "layers": 2, "skip": False}
NO_SKIP = changed(
    B, name="fashion-no-skip", title="Model B without skip, two learning rates", config=NO_SKIP_CONFIG,
    why="Without the skip gradients begin near zero; the x and y weights learn at 0.1, the rest at 1e-3.",
    **two_optimisers(NO_SKIP_CONFIG),
)  # fmt: skip

COLOUR = changed(
    B, name="cifar", title="CIFAR-10: 8 heads, 4 layers", data="cifar10", batch=1024, probes=probes(4),
    why="The paper's model in colour; 229,942 parameters by its own equation, where it prints 506,560.",
    config={"heads": 8, "layers": 4, **CIFAR}, tests=(Test(data="cifar10"),), cost="30 core-minutes",
    control="vgg_control.cifar",
)  # fmt: skip
COLOUR_TWO = changed(
    COLOUR, name="cifar-two-rates", title="CIFAR-10: 8 heads, 4 layers, two learning rates",
    why="The x and y weights learn at 0.1, the rest at 1e-3.", weights="float16", **two_optimisers(COLOUR.config),
)  # fmt: skip
COLOUR_NO_SKIP = changed(
    COLOUR, name="cifar-no-skip", title="CIFAR-10: 8 heads, 2 layers, no skip", probes=probes(2),
    why="The paper's model that does not converge.", config={**NO_SKIP_CONFIG, **CIFAR}, weights=None,
    cost="10 core-minutes",
)  # fmt: skip

CONTROL = changed(
    B, model="vgg_control", name="fashion", title="The paper's convolutional control", config={}, accumulate=32,
    precision="bfloat16",
    why="What element-wise attention is compared with: 929,510 parameters.", weights="float16", ablations=(),
    cost="70 core-minutes", control=None,
    probes=(Probe(name="loss_sum"), Probe(name="gradient_mean", of="convolutions.0.weight")),
)  # fmt: skip
COLOUR_CONTROL = changed(
    CONTROL, name="cifar", title="CIFAR-10: the paper's convolutional control", data="cifar10", config=CIFAR,
    why="What element-wise attention is compared with: 961,310 parameters.", batch=1024, accumulate=8, weights=None,
    tests=(Test(data="cifar10"),), cost="86 core-minutes",
)  # fmt: skip
PAPERS_LINE = changed(
    B, model="pixel_line", name="fashion-paper", title="Softmax regression, trained as in the paper", ablations=(),
    why="What the linear layer alone learns in 150 steps.", config={"mean": 0.0, "std": 1.0}, cost="1 core-minute",
    control=None,
    probes=(Probe(name="loss_sum"),),
)  # fmt: skip


def repaired(
    base: Recipe, mean: float, std: float, heads: int, layers: int, weight_decay: float = 0.01, **changes: Any
) -> Recipe:
    """Return a recipe with the remedies: more steps, an even share of 1, blocks of 4 x 4 pixels as channels.

    Its control is the same net with a relevance of 1 everywhere, see `without`.
    """
    shape = {name: base.config[name] for name in ("channels", "rows", "columns") if name in base.config}
    arrays = Group(parameters=ARRAYS, learning_rate=1.5e-2, weight_decay=0.0)
    rest = Group(parameters=("layers.*.conv.*", "layers.*.output_norm.*", "classifier.*"))
    return changed(
        base,
        config={
            "heads": heads, "layers": layers, **shape, "unshuffle": 4, "mean": mean, "std": std, "initial": "uniform",
            "arrays_std": 0.5, "relevance_norm": "even", "output_norm": 1.0, "conv_bias": False,
        },
        optimiser="adamw", learning_rate=5e-3, weight_decay=weight_decay, groups=(arrays, rest), schedule="one_cycle",
        rise=0.25, batch=256, probes=probes(layers), control=f"{base.model}.{changes['name']}-one",
        **{"chosen": UNTOLD, **changes},
    )  # fmt: skip


REPAIRED = repaired(
    B, FASHION_MEAN, FASHION_STD, heads=3, layers=2, name="fashion-repaired", title="Repaired: 3 heads, 2 layers",
    why="The same mechanism where it can learn: fewer parameters than B, 2,350 steps, an even share is 1.",
)  # fmt: skip
REPAIRED_COLOUR = repaired(
    COLOUR, CIFAR_MEAN, CIFAR_STD, heads=3, layers=3, name="cifar-repaired", epochs=15, precision="bfloat16",
    title="CIFAR-10, repaired: 3 heads, 3 layers", weight_decay=0.3, cost="20 core-minutes",
    chosen=DECAY,
    why="The same mechanism where it can learn, in colour; with a weight decay that keeps it from overfitting.",
)  # fmt: skip
REPAIRED_COLOUR_AUGMENTED = changed(
    REPAIRED_COLOUR, name="cifar-repaired-augmented", title="CIFAR-10, repaired, mirrored and cropped pictures",
    why="The same, trained on variants instead of the pictures themselves; the paper does not do this.",
    augment="instead", augmentation=Augmentation(mirror=True, crop=4), precision="float32", weight_decay=0.01,
    cost="25 core-minutes", chosen=UNTOLD, control="element_wise.cifar-repaired-augmented-one",
)  # fmt: skip
REPAIRED_DIGITS = repaired(
    B, MNIST_MEAN, MNIST_STD, heads=3, layers=2, name="digits", title="Ten digits, repaired", data="mnist", epochs=6,
    why="It knows all digits. Slightly rotated and shifted variants are added to the pictures.",
    augmentation=Augmentation(rotation=10, shift=0.07, stretch=(0.85, 1.15)),
    tests=(Test(data="mnist"), Test(data="strokes", count=2000)),
)  # fmt: skip


def without(base: Recipe, mode: str, words: str, **changes: Any) -> Recipe:
    """Return a recipe that is retrained with another relevance and is otherwise the same."""
    return changed(
        base, name=f"{base.name}-{mode}", title=f"{base.title}, {words}", config={**base.config, "mode": mode},
        why="The same net retrained, so that the difference is what attention is worth.", ablations=(), control=None,
        **changes,
    )  # fmt: skip


def plain(base: Recipe, title: str, config: dict[str, Any], **changes: Any) -> Recipe:
    """Return a control with another architecture, trained like a repaired recipe."""
    shape = {name: base.config[name] for name in ("channels", "rows", "columns", "mean", "std") if name in base.config}
    return changed(
        base, title=title, config={**shape, **config}, groups=(), ablations=(), control=None, chosen=UNTOLD,
        name=base.name.removesuffix("-repaired"), probes=(), **changes,
    )  # fmt: skip


REPAIRED_ONE, REPAIRED_MEAN = without(REPAIRED, "one", "relevance 1"), without(REPAIRED, "mean", "mean relevance")
COLOUR_ONE = without(REPAIRED_COLOUR, "one", "relevance 1", weights=None, cost="4 core-minutes")
COLOUR_MEAN = without(REPAIRED_COLOUR, "mean", "mean relevance", weights=None)
COLOUR_AUGMENTED_ONE = without(REPAIRED_COLOUR_AUGMENTED, "one", "relevance 1", weights=None, cost="6 core-minutes")
DIGITS_ONE = without(REPAIRED_DIGITS, "one", "relevance 1", weights=None)
DIGITS_MEAN = without(REPAIRED_DIGITS, "mean", "mean relevance", weights=None)
CONV = plain(
    REPAIRED, "A small convolutional net", {}, model="plain_conv",
    why="25,250 parameters of ordinary convolutions, trained like the repaired model.",
)  # fmt: skip
CONV_COLOUR = plain(
    REPAIRED_COLOUR, "CIFAR-10: a small convolutional net",
    {"widths": [32, 64, 96, 128], "strides": [1, 2, 1, 2], "regions": 4}, model="plain_conv",
    cost="17 core-minutes", weight_decay=0.01,
    why="206,314 parameters of ordinary convolutions, trained like the repaired model, with less weight decay.",
)  # fmt: skip
CONV_DIGITS = plain(
    REPAIRED_DIGITS, "Ten digits: a small convolutional net", {}, model="plain_conv",
    why="25,250 parameters of ordinary convolutions, trained like the repaired model.",
)  # fmt: skip
LINE = plain(
    REPAIRED, "Softmax regression", {}, model="pixel_line",
    why="Each pixel has its own weight; trained like the repaired model.",
)  # fmt: skip
LINE_COLOUR = plain(
    REPAIRED_COLOUR, "CIFAR-10: softmax regression", {}, model="pixel_line", precision="float32", cost="1 core-minute",
    weight_decay=0.01, why="Each number has its own weight; trained like the repaired model, with less weight decay.",
)  # fmt: skip

RECIPES = (
    *(A, A_AFFINE, B, C, C_AFFINE, D, E, F, G, H, ONE_HEAD, ONE_HEAD_NORM, NO_SKIP, CONTROL, PAPERS_LINE),
    *(REPAIRED, REPAIRED_ONE, REPAIRED_MEAN, CONV, LINE),
    *(COLOUR, COLOUR_TWO, COLOUR_NO_SKIP, COLOUR_CONTROL),
    *(REPAIRED_COLOUR, REPAIRED_COLOUR_AUGMENTED, COLOUR_ONE, COLOUR_AUGMENTED_ONE, COLOUR_MEAN),
    *(CONV_COLOUR, LINE_COLOUR),
    *(REPAIRED_DIGITS, DIGITS_ONE, DIGITS_MEAN, CONV_DIGITS),
)

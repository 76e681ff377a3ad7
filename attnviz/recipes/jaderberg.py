"""Recipes after "Spatial Transformer Networks", Jaderberg, Simonyan, Zisserman, Kavukcuoglu, 2015.

These are two of its tasks on digits: rotated by up to 90 degrees, and rotated, scaled and shifted. The paper trains for
150,000 steps of 256 pictures, each transformed anew; our trainings take about 6,000 steps of 128. The controls of every
network with a transformer are the plain network and one widened to the same number of weights.
"""

from typing import Any

from attnviz.recipes.paper import Paper, PaperFigure, Question, Retraining
from attnviz.recipes.recipe import TEN_CLASSES, Ablation, Recipe, Test, changed

THETA = "transformer.theta"

ROTATED = Recipe(
    model="spatial_transformer",
    name="rotated",
    title="Rotated digits, affine transformer",
    why="Any affine transform, so that the network could turn the digit back, but also enlarge or shift it.",
    cost="5 core-minutes",
    config={"transform": "affine", "rows": 32, "columns": 32},
    data="rotated_mnist",
    classes=TEN_CLASSES,
    validation="validation",
    learning_rate=1e-3,
    schedule="cosine",
    batch=128,
    epochs=5,
    watch="accuracy",
    keep="last",
    weights="float16",
    control="spatial_transformer.rotated-widened",
    tests=(Test(data="rotated_mnist"), Test(data="rotated_strokes", count=2000)),
    ablations=(
        Ablation(name="mean", of=THETA),
        Ablation(name="shuffled", of=THETA),
        Ablation(name="identity", of=THETA),
    ),
)


def variant(base: Recipe, name: str, title: str, why: str, config: dict[str, Any], **changes: Any) -> Recipe:
    """Return a recipe with another transform, or without one."""
    return changed(
        base, name=f"{base.name}-{name}", title=base.title.replace("affine transformer", title), why=why,
        config={**base.config, **config}, **changes,
    )  # fmt: skip


def plain(base: Recipe) -> Recipe:
    """Return the same network without a transformer."""
    why = "The same classifier without a transformer."
    return variant(base, "plain", "no transformer", why, {"transform": "none"}, ablations=(), control=None)


def widened(base: Recipe) -> Recipe:
    """Return the network without a transformer, with as many weights as an affine one within 1 %."""
    return variant(
        base, "widened", "no transformer, widened",
        "As many weights as with the affine transformer, within 1 %, and no transformer.",
        {"transform": "none", "hidden": 144}, ablations=(), weights=None, control=None,
    )  # fmt: skip


ROTATED_PLAIN, ROTATED_WIDENED = plain(ROTATED), widened(ROTATED)
ROTATED_WIDENED_9 = changed(
    ROTATED_WIDENED, name=f"{ROTATED_WIDENED.name}-9-epochs", title=f"{ROTATED_WIDENED.title}, 9 epochs", epochs=9,
    why="As many weights as with the affine transformer, within 1 %, and as many core-seconds: a step takes 1.79 times "
    "as long with a transformer.", cost="9 core-minutes",
)  # fmt: skip
ROTATED_ONLY = variant(
    ROTATED, "only", "transformer that only rotates", "It can turn the digit back, and do nothing else.",
    {"transform": "rotation"},
)  # fmt: skip
MOVED = changed(
    ROTATED, name="moved", title="Moved digits, affine transformer", data="moved_mnist", epochs=6,
    why="Digits rotated by up to 45 degrees, scaled and shifted on 42 x 42 pixels.", cost="16 core-minutes",
    config={"transform": "affine", "rows": 42, "columns": 42}, control="spatial_transformer.moved-widened",
    tests=(Test(data="moved_mnist"), Test(data="moved_strokes", count=2000)),
)  # fmt: skip
MOVED_PLAIN, MOVED_WIDENED = (changed(one, cost="10 core-minutes") for one in (plain(MOVED), widened(MOVED)))
MOVED_CROP = variant(
    MOVED, "crop", "transformer that only crops", "It can shift and enlarge the digit, and do nothing else.",
    {"transform": "crop"},
)  # fmt: skip

RECIPES = (
    ROTATED, ROTATED_PLAIN, ROTATED_WIDENED, ROTATED_WIDENED_9, ROTATED_ONLY,
    MOVED, MOVED_PLAIN, MOVED_WIDENED, MOVED_CROP,
)  # fmt: skip


def _figure(what: str, where: str, value: float, *recipes: Recipe) -> PaperFigure:
    keys = tuple(recipe.key for recipe in recipes)
    return PaperFigure(what=what, where=where, value=value, checkpoints=keys, compared=keys[:1])


_ROTATED, _MOVED = "Table 1, R, test accuracy", "Table 1, RTS, test accuracy"
PAPER = Paper(
    name="jaderberg",
    title="Spatial Transformer Networks",
    source="Jaderberg et al., 2015",
    figures=(
        _figure(
            "Rotated digits, ST-CNN with an affine transform", _ROTATED, 0.993,
            ROTATED, ROTATED_ONLY, ROTATED_PLAIN, ROTATED_WIDENED, ROTATED_WIDENED_9,
        ),
        _figure("Rotated digits, CNN", _ROTATED, 0.988, ROTATED_PLAIN),
        _figure(
            "Rotated, scaled and shifted digits, ST-CNN with an affine transform", _MOVED, 0.995,
            MOVED, MOVED_CROP, MOVED_PLAIN, MOVED_WIDENED,
        ),
        _figure("Rotated, scaled and shifted digits, CNN", _MOVED, 0.992, MOVED_PLAIN),
    ),
    first=(Question(checkpoint=ROTATED.key, control=ROTATED_WIDENED_9.key),),
    questions=(Question(checkpoint=ROTATED.key), Question(checkpoint=MOVED.key)),
    retrainings=tuple(
        Retraining(
            title=one.title, ablated=one.key, ablation=Ablation(name=name, of=THETA), retrained=without.key,
            instead=(words, "no transformer"),
        )
        for one, without in ((ROTATED, ROTATED_PLAIN), (MOVED, MOVED_PLAIN))
        for name, words in (("mean", "the mean transform"), ("identity", "no transform"))
    ),
)  # fmt: skip

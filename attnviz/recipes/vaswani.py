"""Recipes after "Attention Is All You Need", Vaswani et al., 2017: a small Transformer reads strips of digits.

The paper translates with six layers of 512 features and 65 million weights, in 100,000 steps. Ours has two layers of
112 features, as many weights as the recurrent networks of `attnviz.recipes.bahdanau` within 2 %, and 3,000 steps.
"""

from typing import Any

from attnviz.recipes import bahdanau
from attnviz.recipes.paper import Paper, PaperFigure
from attnviz.recipes.recipe import Recipe, changed

STRIPS = changed(
    bahdanau.STRIPS,
    model="transformer",
    title="Strips up to 15, Transformer",
    why="Attention alone, without recurrence: columns look at columns, and steps at columns and at earlier steps.",
    cost="5 core-minutes",
    config={"hidden": 144},
    learning_rate=1e-3,
)


def variant(base: Recipe, name: str, title: str, why: str, **changes: Any) -> Recipe:
    """Return a recipe for the same Transformer with the strips, steps and tests of another recipe."""
    taken = {field: getattr(base, field) for field in ("data", "epochs", "cost", "tests", "control")}
    return changed(STRIPS, name=name, title=title, why=why, **{**taken, "weights": None, **changes})


BLIND: dict[str, Any] = {"config": {"hidden": 144, "positions": False}, "control": None}
NO_POSITIONS = variant(
    bahdanau.STRIPS, "strips-15-no-positions", "Strips up to 15, Transformer without positions",
    "Columns and steps are not told where they stand.", weights="float16", **BLIND,
)  # fmt: skip
LONG = variant(
    bahdanau.LONG, "strips-30", "Strips up to 30, Transformer", "The same Transformer, on strips twice as long.",
    weights="float16",
)  # fmt: skip
LONG_NO_POSITIONS = variant(
    bahdanau.LONG, "strips-30-no-positions", "Strips up to 30, Transformer without positions",
    "No positions, on strips twice as long.", **BLIND,
)  # fmt: skip
BACKWARDS = variant(
    bahdanau.REVERSED, "strips-15-reversed", "Strips up to 15 read backwards, Transformer",
    "It begins with the digit that stands last.",
)  # fmt: skip
BY_SIZE = variant(
    bahdanau.SORTED, "strips-15-sorted", "Strips up to 15 sorted, Transformer",
    "It says the digits by size, so it has to find each of them somewhere.",
    control="transformer.strips-15-sorted-no-positions",
)  # fmt: skip
BY_SIZE_NO_POSITIONS = variant(
    bahdanau.SORTED, "strips-15-sorted-no-positions", "Strips up to 15 sorted, Transformer without positions",
    "To sort the digits, their order need not be known.", **BLIND,
)  # fmt: skip
PATIENT = variant(
    bahdanau.PATIENT, "strips-15-patient", "Strips up to 15, Transformer, 30,000 steps", "Ten times as many steps.",
)  # fmt: skip
PATIENT_NO_POSITIONS = variant(
    bahdanau.PATIENT, "strips-15-no-positions-patient", "Strips up to 15, Transformer without positions, 30,000 steps",
    "No positions, and ten times as many steps.", **BLIND,
)  # fmt: skip

RECIPES = (
    STRIPS, NO_POSITIONS, LONG, LONG_NO_POSITIONS, BACKWARDS, BY_SIZE, BY_SIZE_NO_POSITIONS, PATIENT,
    PATIENT_NO_POSITIONS,
)  # fmt: skip


def _figure(what: str, where: str, *recipes: Recipe) -> PaperFigure:
    keys = tuple(recipe.key for recipe in recipes)
    return PaperFigure(what=what, where=where, value=None, checkpoints=keys, compared=keys[:1])


PAPER = Paper(
    name="vaswani",
    title="Attention Is All You Need",
    source="Vaswani et al., 2017",
    figures=(
        _figure("Without recurrence", "table 2 gives BLEU", STRIPS, NO_POSITIONS, bahdanau.STRIPS, bahdanau.ONE_VECTOR),
        _figure("Trained on long strips", "not in the paper", LONG, LONG_NO_POSITIONS),
        _figure("Another order of the answer", "not in the paper", BACKWARDS, BY_SIZE, BY_SIZE_NO_POSITIONS),
        _figure("Ten times as many steps", "not in the paper", PATIENT, PATIENT_NO_POSITIONS),
    ),
    note="The paper measures BLEU on sentences; ours are shares of strips that are read without an error.",
)

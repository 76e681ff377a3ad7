"""Recipes after "Neural Machine Translation by Jointly Learning to Align and Translate", Bahdanau, Cho, Bengio, 2015.

The paper translates sentences; here the model reads strips of digits, which anybody can draw. As in the paper, each
network is trained twice: on short strips (up to 15 digits) and on long ones (up to 30). The paper trains for days with
Adadelta; our trainings take 3,000 steps of 32 strips. The network without attention has a wider decoder, so that the
numbers of weights match within 2 %.
"""

from collections.abc import Sequence
from typing import Any

from attnviz.data.digit_strips import STRIPS as DATA
from attnviz.data.digit_strips import SYMBOLS, TESTED
from attnviz.recipes.paper import Paper, PaperFigure, Question
from attnviz.recipes.recipe import Recipe, Test, changed

STEPS = 12
"""Number of epochs of 250 steps, 3,000 steps in total."""

OVERALL = ("accuracy", "digits", "stopped", "told")
"""The measures over strips of all lengths."""


def by_length(
    lengths: Sequence[int] = TESTED, what: Sequence[str] = ("accuracy", "digits", "stopped")
) -> tuple[str, ...]:
    """Return the names of the measures at each length of the test strips: "digits_15"."""
    return tuple(f"{one}_{length}" for one in what for length in lengths)


SHORT = DATA["strips_mnist_15"].tested

STRIPS = Recipe(
    model="encoder_decoder",
    name="strips-15",
    title="Strips up to 15, additive attention",
    why="It looks back at the strip for every digit that it says.",
    cost="4 core-minutes",
    config={"attention": "additive"},
    data="strips_mnist_15",
    classes=tuple(range(len(SYMBOLS))),
    validation="validation",
    objective="texts",
    optimiser="adam",
    betas=(0.9, 0.98),
    learning_rate=2e-3,
    schedule="trapezoid",
    rise=0.07,
    clip=1.0,
    batch=32,
    epochs=STEPS,
    watch="digits",
    keep="last",
    weights="float16",
    control="encoder_decoder.strips-15-one-vector",
    tests=(
        Test(data="strips_mnist_15", figures=OVERALL),
        Test(data="strips_mnist_30", figures=(*OVERALL, *by_length())),
        Test(data="strips_strokes_15", figures=OVERALL),
    ),
)


def variant(name: str, title: str, why: str, **changes: Any) -> Recipe:
    """Return a recipe with some fields changed."""
    return changed(STRIPS, name=name, title=title, why=why, **changes)


ONE_VECTOR = variant(
    "strips-15-one-vector", "Strips up to 15, one vector",
    "Everything that it knows of the strip has to pass through one vector.",
    config={"attention": "none", "hidden": 154}, control=None,
)  # fmt: skip
UNIFORM = variant(
    "strips-15-uniform", "Strips up to 15, equal weights",
    "It gets the mean over all columns at every step: a context, but no choice of where to look.",
    config={"attention": "uniform", "hidden": 154}, control=None,
)  # fmt: skip
LONG = variant(
    "strips-30", "Strips up to 30, additive attention", "The same network, trained on strips twice as long.",
    data="strips_mnist_30", cost="8 core-minutes", control="encoder_decoder.strips-30-one-vector",
)  # fmt: skip
LONG_ONE_VECTOR = changed(
    ONE_VECTOR, name="strips-30-one-vector", title="Strips up to 30, one vector", data="strips_mnist_30",
    why="One vector, trained on strips twice as long.", cost="8 core-minutes", weights=None,
)  # fmt: skip
REVERSED = variant(
    "strips-15-reversed", "Strips up to 15 read backwards, additive attention",
    "It begins with the digit that stands last.", data="strips_mnist_15_reversed", weights=None, control=None,
    tests=(Test(data="strips_mnist_15_reversed", figures=(*OVERALL, *by_length(SHORT))),),
)  # fmt: skip
SORTED = variant(
    "strips-15-sorted", "Strips up to 15 sorted, additive attention",
    "It says the digits by size, so it has to find each of them somewhere.",
    data="strips_mnist_15_sorted", weights=None, control=None,
    tests=(
        Test(
            data="strips_mnist_15_sorted",
            figures=(*OVERALL, "distance", *by_length(SHORT, ("accuracy", "digits", "stopped", "distance"))),
        ),
    ),
)  # fmt: skip
PATIENT = variant(
    "strips-15-patient", "Strips up to 15, additive attention, 30,000 steps",
    "Ten times as many steps.", epochs=10 * STEPS, weights=None,
    control="encoder_decoder.strips-15-one-vector-patient", cost="40 core-minutes",
)  # fmt: skip
PATIENT_ONE_VECTOR = changed(
    ONE_VECTOR, name="strips-15-one-vector-patient", title="Strips up to 15, one vector, 30,000 steps",
    why="One vector and ten times as many steps.", epochs=10 * STEPS, weights=None, cost="35 core-minutes",
)  # fmt: skip

RECIPES = (
    STRIPS, ONE_VECTOR, UNIFORM, LONG, LONG_ONE_VECTOR, REVERSED, SORTED, PATIENT, PATIENT_ONE_VECTOR,
)  # fmt: skip


def _figure(what: str, *recipes: Recipe) -> PaperFigure:
    keys = tuple(recipe.key for recipe in recipes)
    return PaperFigure(what=what, where="figure 2 shows BLEU by length", value=None, checkpoints=keys,
                       compared=keys[:1])  # fmt: skip


PAPER = Paper(
    name="bahdanau",
    title="Neural Machine Translation by Jointly Learning to Align and Translate",
    source="Bahdanau et al., 2015",
    figures=(
        _figure("Trained on short strips: with attention, with one vector, with equal weights", STRIPS, ONE_VECTOR,
                UNIFORM, PATIENT, PATIENT_ONE_VECTOR),
        _figure("Trained on long strips: with attention, with one vector", LONG, LONG_ONE_VECTOR),
        _figure("Another order of the answer", REVERSED, SORTED),
    ),
    note="The paper measures BLEU on sentences; ours are shares of strips that are read without an error.",
    first=(Question(checkpoint=STRIPS.key, longer=PATIENT.key),),
)  # fmt: skip

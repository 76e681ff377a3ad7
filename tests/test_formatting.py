"""How figures, differences and tests are written."""

import numpy as np
import pytest

from attnviz import formatting
from attnviz.card import Figure, packed
from attnviz.measures.difference import Difference
from attnviz.recipes.recipe import Augmentation
from attnviz.recipes.recipe import Test as RecipeTest

FIGURE = Figure(
    name="accuracy",
    data="strokes",
    split="test",
    count=2109,
    value=2108 / 2109,
    mean=0.98856,
    lowest=0.98,
    highest=0.9996,
    seeds=5,
    right=packed(np.arange(2109) > 0),
)


@pytest.mark.parametrize(("count", "said"), [(0, "0 trials"), (1, "1 trial"), (1200, "1,200 trials")])
def test_a_count_is_written_with_its_noun(count, said):
    assert formatting.counted(count, "trial") == said


@pytest.mark.parametrize(
    ("share", "said"), [(0.98856, "98.86 %"), (1.0, "100.00 %"), (0.0, "0.00 %"), (0.5, "50.00 %")]
)
def test_a_share_is_written_as_a_percentage_with_two_digits(share, said):
    assert formatting.percent(share) == said


def test_a_figure_is_written_with_its_spread():
    assert formatting.spread(FIGURE) == "98.86 % (98.00 to 99.96)"


@pytest.mark.parametrize(
    ("interval", "said"),
    [((0.0107, 0.0183), "+1.45 (+1.07 to +1.83)"), ((-0.0004, 0.0294), "+1.45 (−0.04 to +2.94)"),
     (None, "+1.45, *one seed*")],
)  # fmt: skip
def test_a_difference_is_written_in_points(interval, said):
    assert formatting.points(Difference(0.0145, interval, (5, 5), missing="one seed")) == said


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.98856, "share", "98.86 %"),
        (33084, "count", "33,084"),
        (7.5913, "nats", "7.591 nats"),
        (0.0, "nats", "0 nats"),
    ],
)
def test_a_number_is_written_in_its_unit(value, unit, said):
    assert formatting.quantity(value, unit) == said


def test_a_spread_is_written_in_its_unit():
    figure = FIGURE.model_copy(update={"unit": "nats", "mean": 0.50614, "lowest": 0.4, "highest": 0.6})
    assert formatting.spread(figure) == "0.5061 nats (0.4 to 0.6)"


def test_a_test_is_said_in_words():
    said = [
        formatting.words(RecipeTest(data="mnist")),
        formatting.words(RecipeTest(data="mnist", augmentation=Augmentation(rotation=180, sampling=("nearest",)))),
        formatting.words(RecipeTest(data="mnist", augmentation=Augmentation(noise=0.2))),
    ]
    assert said == ["mnist test", "mnist test, variants, nearest", "mnist test, noise"]


def test_mirrored_and_cropped_pictures_are_said_in_words():
    asked = RecipeTest(data="cifar10", augmentation=Augmentation(mirror=True, crop=4))
    assert formatting.words(asked) == "cifar10 test, mirror and crop"

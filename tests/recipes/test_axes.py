"""What a search varies, attnviz/recipes/axes.py."""

import math

import pytest

from attnviz import recipes
from attnviz.errors import BadInput, UnknownName
from attnviz.recipes import axes
from attnviz.recipes.axes import Axis
from tests.training import small


def test_axes_are_read_as_a_person_writes_them():
    words = ["heads=1,8,25", "skip=no,yes", "dropout=0..0.8", "head_size=1..25", "learning_rate=1e-4..1e-2:log"]
    assert axes.read(words) == (
        Axis(name="heads", choices=(1, 8, 25)),
        Axis(name="skip", choices=(False, True)),
        Axis(name="dropout", low=0, high=0.8),
        Axis(name="head_size", low=1, high=25, whole=True),
        Axis(name="learning_rate", low=1e-4, high=1e-2, log=True),
    )  # fmt: skip


@pytest.mark.parametrize("word", ["heads=1,8,25", "skip=no,yes", "head_size=1..25", "learning_rate=0.0001..0.01:log"])
def test_an_axis_is_written_as_it_is_read(word):
    assert [axes.word(axis) for axis in axes.read([word])] == [word]


@pytest.mark.parametrize(
    "word",
    ["", "heads", "heads=", "heads=1,1", "heads=1..", "heads=5..1", "heads=0..5:log", "heads=1,2:log", "=1", "Heads=1",
     "heads=1..nan", "heads=1,inf", "heads=1..2:sqrt", "../x=1", pytest.param(f"heads=1,{'9' * 400}", id="nines"),
     pytest.param(f"heads=1..{'9' * 400}", id="to nines")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(word):
    with pytest.raises(BadInput, match="What is varied must be given as"):
        axes.read([word])


def test_a_setting_is_varied_once():
    with pytest.raises(BadInput, match="once"):
        axes.read(["heads=1,2", "heads=3..4"])


def test_values_lie_along_an_axis_from_0_to_1():
    assert [Axis(name="a", choices=(8, 1, 25)).place(value) for value in (1, 8, 25)] == [0, 0.5, 1]
    assert Axis(name="a", low=1, high=5, whole=True).place(2) == 0.25
    assert Axis(name="a", low=1e-4, high=1e-2, log=True).place(1e-3) == pytest.approx(0.5)
    assert Axis(name="a", choices=("x",)).place("x") == 0
    assert math.isnan(Axis(name="a", choices=(1, 2)).place(3))


def test_a_recipe_gets_the_values_with_all_their_digits():
    rate = 0.1234567890123456
    made = axes.applied(small.recipe(), {"heads": 3, "learning_rate": rate, "epochs": 2, "skip": True, "dropout": 0.25})
    assert (made.config["heads"], made.config["skip"], made.config["dropout"]) == (3, True, 0.25)
    assert (made.learning_rate, made.epochs, made.patience) == (rate, 2, 2)
    with pytest.raises(BadInput, match="must be a whole number"):
        axes.applied(small.recipe(), {"batch": 0})
    with pytest.raises(UnknownName):
        axes.applied(small.recipe(), {"wings": 2})


def test_what_a_paper_searched_are_settings_of_its_recipe():
    for key, varied in recipes.VARIED.items():
        for axis in varied:
            for value in axis.ends:
                axes.applied(recipes.RECIPES[key], {axis.name: value})


def test_of_any_recipe_the_settings_are_varied_of_which_a_search_tries_some_values():
    recipe = small.recipe()
    assert {axis.name: axes.word(axis) for axis in axes.usual(recipe)} == {
        "learning_rate": f"learning_rate={recipe.learning_rate / 10}..{recipe.learning_rate * 10}:log",
        "heads": "heads=1,8,15,25",
        "skip": "skip=no,yes",
        "dropout": "dropout=0.0..0.8",
    }
    assert [axis.name for axis in axes.usual(small.recipe("pixel_line", config={}))] == ["learning_rate"]
    for recipe in recipes.RECIPES.values():
        for axis in axes.usual(recipe):
            for value in axis.ends:
                axes.applied(recipe, {axis.name: value})

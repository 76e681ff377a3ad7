"""A recipe with a few settings changed, attnviz/recipes/altered.py."""

import pytest

from attnviz.errors import AttnvizError, BadInput, UnknownName
from attnviz.recipes import RECIPES
from attnviz.recipes.altered import altered, settings, suits

SIMPLE = RECIPES["pixel_attention.1v8"]


def test_settings_are_read_and_change_what_they_name():
    made = altered(SIMPLE, settings(["epochs=3", "learning_rate=0.01", "heads=2", "data=strokes"]))
    assert (made.epochs, made.learning_rate, made.config["heads"], made.data) == (3, 0.01, 2, "strokes")
    assert made.patience == 3
    same = {"epochs", "patience", "learning_rate", "config", "data"}
    assert made.model_dump(exclude=same) == SIMPLE.model_dump(exclude=same)
    assert altered(SIMPLE, {}) is SIMPLE
    assert altered(SIMPLE, {"epochs": str(SIMPLE.epochs)}) is SIMPLE


@pytest.mark.parametrize(
    "words",
    [["epochs"], ["epochs=0"], ["epochs=-1"], ["epochs=1e9"], ["epochs=²"], ["learning_rate=nan"], ["heads=two"],
     ["learning_rate=inf"], ["learning_rate=0"], ["data=../strokes"], ["data=cifar10"], ["epochs=1", "epochs=2"],
     ["batch=4"], ["model=x"]],
    ids=str,
)  # fmt: skip
def test_nonsense_is_one_sentence(words):
    with pytest.raises((BadInput, UnknownName)):
        altered(SIMPLE, settings(words))


def test_only_data_of_the_same_kind_suit_a_recipe():
    for one in RECIPES.values():
        assert suits(one, one.data)
    assert suits(SIMPLE, "strokes")
    assert not suits(SIMPLE, "fashion_mnist")
    with pytest.raises(AttnvizError, match="has no number of heads"):
        altered(RECIPES["pixel_line.1v8"], {"heads": "2"})

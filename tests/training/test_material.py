"""From a recipe to what it trains on and chooses by, attnviz/training/material.py."""

from attnviz.training.material import split
from tests.training import small


def test_the_pictures_that_weights_are_chosen_by_are_never_trained_on():
    held_out, trained = split(50, small.recipe(validation=0.3))
    assert len(held_out) == 15
    assert sorted([*held_out.tolist(), *trained.tolist()]) == list(range(50))
    assert [part.tolist() for part in split(5, small.recipe(validation=None, keep="last", patience=None))] == [
        [],
        [0, 1, 2, 3, 4],
    ]
    assert held_out.tolist() != list(range(15)), "the order of a data set may be no chance order"

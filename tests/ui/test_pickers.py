"""Which test pictures fit what was chosen, in which order they come."""

import numpy as np
import pytest

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.ui import cache
from attnviz.ui.pickers import ANY, Fitting, default_source

LABELS = data.labels("strokes", "test")


@pytest.fixture
def card() -> Card:
    return cards.read("pixel_attention.1v8")


def test_any_digit_means_those_the_model_knows(card: Card) -> None:
    assert (
        Fitting(card, "strokes", ANY, wrong=False).numbers.tolist() == np.flatnonzero(np.isin(LABELS, (1, 8))).tolist()
    )


def test_next_is_the_next_of_that_digit_and_the_first_follows_the_last(card: Card) -> None:
    ones = np.flatnonzero(LABELS == 1).tolist()
    fitting = Fitting(card, "strokes", "1", wrong=False)
    assert fitting.after(-1) == ones[0]
    assert fitting.after(ones[3]) == fitting.after(ones[4] - 1) == ones[4]
    assert fitting.after(ones[-1]) == ones[0]
    assert fitting.random() in ones


def test_only_wrong_answers_are_those_and_none_of_them_is_none(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    ones, eights = np.flatnonzero(LABELS == 1), np.flatnonzero(LABELS == 8)
    monkeypatch.setattr(cache, "wrong_answers", lambda *_: np.array([ones[2], eights[5], ones[9]]))
    assert Fitting(card, "strokes", "1", wrong=True).numbers.tolist() == [ones[2], ones[9]]
    monkeypatch.setattr(cache, "wrong_answers", lambda *_: np.array([], int))
    nothing = Fitting(card, "strokes", ANY, wrong=True)
    assert nothing.after(0) is None
    assert nothing.random() is None


def test_strokes_stand_in_for_a_data_set_that_is_not_here(card: Card) -> None:
    assert card.recipe.data == "mnist"
    assert default_source(card) == "strokes"

"""Texts compared, and what chance gives: attnviz/measures/texts.py, by hand."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz.measures.texts import all_right, compared, edit_distance, guessing_sorted

S = 10
TARGET = [3, 1, 4, S]


@pytest.mark.parametrize(
    ("answer", "accuracy", "digits", "stopped", "distance"),
    [
        ([3, 1, 4, S], True, [1, 1, 1], True, 0),
        ([3, 1, 4, S, 7, 7], True, [1, 1, 1], True, 0),  # what follows the end counts for nothing
        ([3, 9, 4, S], False, [1, 0, 1], True, 1 / 3),
        ([3, S, 4, S], False, [1, 0, 0], False, 2 / 3),  # the 4 stands after its end, though at its place
        ([3, 1, S, 4], False, [1, 1, 0], False, 1 / 3),  # the 4 stands after its end
        ([3, 1, 4, 4], False, [1, 1, 1], False, 1 / 3),  # it does not end
        ([3, 1, 4, 4, S], False, [1, 1, 1], False, 1 / 3),
        ([1, 4, S], False, [0, 0, 0], False, 1 / 3),  # shorter than the target
        ([S], False, [0, 0, 0], False, 1.0),
    ],
)
def test_an_answer_by_hand(answer, accuracy, digits, stopped, distance):
    found = compared(torch.tensor([answer]), torch.tensor([TARGET]))
    assert found["accuracy"].tolist() == [accuracy]
    assert found["digits"].tolist() == [list(map(bool, digits))]
    assert found["stopped"].tolist() == [stopped]
    assert found["distance"].tolist() == pytest.approx([distance])


def test_texts_of_a_batch_do_not_mix():
    found = compared(torch.tensor([[3, 1, 4, S], [S, 1, 4, S]]), torch.tensor([TARGET, TARGET]))
    assert found["accuracy"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("ab", "ba", 2), ("abcd", "bcde", 2)],
)
def test_the_edit_distance_by_hand(one: str, other: str, distance: int):
    assert edit_distance([ord(c) for c in one], [ord(c) for c in other]) == distance


@given(*[st.lists(st.integers(0, 2), max_size=6)] * 3)
def test_it_is_a_distance(one: list[int], other: list[int], third: list[int]):
    assert edit_distance(one, other) == edit_distance(other, one)
    assert (edit_distance(one, other) == 0) == (one == other)
    assert edit_distance(one, third) <= edit_distance(one, other) + edit_distance(other, third)


def test_texts_whose_symbols_are_right_independently():
    assert all_right(0.99, 15) == pytest.approx(0.8601, abs=1e-4)
    assert all_right(0.99, 30) == pytest.approx(0.7397, abs=1e-4)


@pytest.mark.parametrize(("length", "share"), [(1, 10.0), (5, 28.4), (10, 36.6), (15, 41.4), (20, 45.9), (30, 52.0)])
def test_guessing_sorted_digits(length: int, share: float):
    assert 100 * guessing_sorted(length) == pytest.approx(share, abs=0.05)


def test_guessing_sorted_symbols_counted_text_by_text():
    texts = [sorted(text) for text in itertools.product(range(3), repeat=4)]
    places = [[text[place] for text in texts] for place in range(4)]
    best = [max(place.count(symbol) for symbol in range(3)) / len(texts) for place in places]
    assert guessing_sorted(4, symbols=3) == pytest.approx(sum(best) / 4)

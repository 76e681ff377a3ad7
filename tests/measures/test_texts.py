"""Texts compared: attnviz/measures/texts.py, by hand."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz.measures.texts import compared, edit_distance

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

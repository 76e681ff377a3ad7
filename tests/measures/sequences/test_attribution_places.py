"""Digits of columns, attnviz/measures/sequences/attribution.py."""

import math

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.sequences.attribution import by_digit, digit_of


@pytest.mark.parametrize("digits", [1, 2, 3, 8, 15, 30])
def test_columns_every_8_pixels_belong_to_the_digit_on_which_they_stand(digits: int):
    columns = math.ceil(3.5 * digits)
    assert digit_of(columns, digits).tolist() == [8 * column // 28 for column in range(columns)]


def test_pixels_belong_to_their_digit():
    assert digit_of(84, 3).tolist() == [0] * 28 + [1] * 28 + [2] * 28


def test_fewer_columns_than_digits_are_refused():
    with pytest.raises(BadInput, match="as many columns"):
        digit_of(2, 3)


def test_sums_by_hand():
    values = torch.tensor([[1.0, 2, 3, 4, 5, 6, 7], [7.0, 6, 5, 4, 3, 2, 1]])
    torch.testing.assert_close(by_digit(values, 2), torch.tensor([[10.0, 18], [22.0, 6]]))

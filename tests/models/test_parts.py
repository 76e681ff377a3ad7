"""What several models share, attnviz/models/parts.py and controls.py."""

import math

import pytest
import torch
from torch import nn

from attnviz.models.controls import PixelLine
from attnviz.models.parts import Standardise, columns_of, glorot


def test_standardising_subtracts_the_mean_and_divides_by_the_deviation():
    assert Standardise(0.5, 0.25)(torch.tensor([0.5, 1.0, 0.0])).tolist() == [0, 2, -2]
    assert Standardise(0.5, 0.25).state_dict() == {}


@pytest.mark.parametrize(("classes", "columns"), [(("a", "b"), 1), (("a", "b", "c"), 3), (("a",), 1)])
def test_two_classes_are_one_column(classes, columns):
    assert columns_of(classes) == columns


def test_initial_weights_fill_glorots_range_evenly_and_biases_are_zero():
    model = nn.Sequential(nn.Linear(300, 100), nn.Linear(100, 20))
    glorot(model, torch.Generator().manual_seed(0))
    for layer, bound in zip(model, (math.sqrt(6 / 400), math.sqrt(6 / 120)), strict=True):
        assert layer.weight.abs().max() <= bound
        assert layer.weight.abs().max() > 0.99 * bound
        assert layer.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)
        assert not layer.bias.any()


def test_the_line_is_a_weighted_sum_of_the_standardised_pixels():
    model = PixelLine(classes=("a", "b"), rows=2, columns=3, mean=0.5, std=0.25)
    with torch.no_grad():
        model.classifier.weight.copy_(torch.tensor([[1.0, -2, 3, -4, 5, -6]]))
        model.classifier.bias.fill_(0.5)
    picture = torch.tensor([[[[0.0, 0.25, 0.5], [0.75, 1.0, 0.5]]]])
    assert model(picture).item() == -2 + 2 + 0 - 4 + 10 - 0 + 0.5

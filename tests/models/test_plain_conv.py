"""The convolutional control, attnviz/models/controls.py."""

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.models.controls import PlainConv

TEN = tuple("0123456789")


def test_it_has_the_parameters_that_its_sizes_give():
    model = PlainConv(classes=TEN, widths=(4, 6), strides=(2, 1), regions=3)
    convolutions = 4 * 1 * 9 + 2 * 4 + 6 * 4 * 9 + 2 * 6  # each without bias, and a scale and a shift a channel
    assert sum(parameter.numel() for parameter in model.parameters()) == convolutions + (6 * 9 + 1) * 10


def test_strides_and_regions_decide_what_reaches_the_linear_layer():
    model = PlainConv(classes=TEN, channels=3, rows=32, columns=20, widths=(4, 6), strides=(2, 2), regions=3).eval()
    images = torch.rand(2, 3, 32, 20, generator=torch.Generator().manual_seed(0))
    assert model.convolutions[:-1](images).shape == (2, 6, 8, 5)
    assert model(images).shape == (2, 10)


def test_one_generator_gives_one_model():
    made = [PlainConv(classes=TEN, generator=torch.Generator().manual_seed(3)) for _ in range(2)]
    assert torch.equal(made[0].classifier.weight, made[1].classifier.weight)


@pytest.mark.parametrize(("widths", "strides"), [((), ()), ((4, 6), (1,))])
def test_a_width_without_a_stride_is_refused(widths, strides):
    with pytest.raises(BadInput, match="Each convolution has a width and a stride"):
        PlainConv(classes=TEN, widths=widths, strides=strides)

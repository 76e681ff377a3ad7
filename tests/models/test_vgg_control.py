"""The paper's convolutional control, attnviz/models/controls.py."""

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.models.controls import VGGControl

TEN = tuple("0123456789")


@pytest.mark.parametrize(("channels", "side", "count"), [(1, 28, 929_510), (3, 32, 961_310)])
def test_it_has_as_many_parameters_as_the_paper_prints(channels, side, count):
    model = VGGControl(classes=TEN, channels=channels, rows=side, columns=side)
    assert sum(parameter.numel() for parameter in model.parameters()) == count


def test_two_convolutions_halve_the_picture_and_weights_are_small():
    model = VGGControl(classes=TEN, widths=(4, 6), generator=torch.Generator().manual_seed(0))
    images = torch.rand(2, 1, 28, 28, generator=torch.Generator().manual_seed(1))
    assert model.convolutions(images).shape == (2, 6, 7, 7)
    assert model.classifier.weight.std().item() == pytest.approx(0.02, rel=0.05)
    biases = [parameter for name, parameter in model.named_parameters() if name.endswith("bias")]
    assert len(biases) == 5 and not any(bias.any() for bias in biases)


def test_pictures_that_cannot_be_halved_twice_are_refused():
    with pytest.raises(BadInput, match="multiples of 4 were expected, not 30 x 28"):
        VGGControl(classes=TEN, rows=30)

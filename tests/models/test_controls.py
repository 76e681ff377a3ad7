"""The controls, attnviz/models/controls.py: what they see, and what they do not."""

import math

import pytest
import torch
from torch import Tensor

from attnviz.data import strokes
from attnviz.errors import BadInput
from attnviz.models.controls import Histogram, Ink


def drawn() -> Tensor:
    return torch.tensor(strokes.draw([8, 1, 3], seed=4)).permute(0, 3, 1, 2) / 255


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


MODELS = {
    "line": Histogram(classes=("a", "b"), bins=16, generator=generator()),
    "net": Histogram(classes=("a", "b", "c"), bins=256, hidden=5, generator=generator()),
    "ink": Ink(classes=("a", "b"), mean=0.1, std=0.04, generator=generator()),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_where_the_ink_is_does_not_matter(model):
    images = drawn()
    order = torch.randperm(784, generator=generator())
    torch.testing.assert_close(model(images.flatten(2)[..., order].unflatten(2, (28, 28))), model(images))
    assert not torch.allclose(model(images), model(images / 2))


def test_the_histogram_counts_each_intensity_in_its_bin():
    model = Histogram(classes=("a", "b"), bins=16, rows=2, columns=2, generator=generator())
    images = torch.tensor([[[[0, 15], [16, 255]]]]) / 255  # two in the first bin, one in the second, one in the last
    weight, bias = model.classifier.weight[0], model.classifier.bias
    expected = (2 * weight[0] + weight[1] + weight[15]) * 16 / 4 + bias
    torch.testing.assert_close(model(images)[0], expected)


def test_with_a_hidden_layer_the_logarithm_of_the_counts_is_judged():
    model = Histogram(classes=("a", "b"), bins=256, hidden=3, rows=2, columns=2, generator=generator())
    images = torch.tensor([[[[0, 0], [0, 7]]]]) / 255
    first, second = model.classifier[0], model.classifier[2]
    hidden = (math.log(4) * first.weight[:, 0] + math.log(2) * first.weight[:, 7] + first.bias).clamp(min=0)
    torch.testing.assert_close(model(images)[0], second.weight @ hidden + second.bias)


def test_the_amount_of_ink_is_the_mean_intensity_standardised():
    model = MODELS["ink"]
    images = drawn()
    means = torch.tensor([sum(image.flatten().tolist()) / 784 for image in images])
    expected = (means[:, None] - 0.1) / 0.04 * model.classifier.weight[0] + model.classifier.bias
    torch.testing.assert_close(model(images), expected)


def test_bins_that_do_not_divide_the_intensities_are_refused():
    with pytest.raises(BadInput, match="10 bins do not divide 256"):
        Histogram(classes=("a", "b"), bins=10)

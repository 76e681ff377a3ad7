"""Folding a net of one token into one line: by hand, and against the model itself."""

import numpy as np
import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.measures.pixel_attention.linear import Line, folded
from attnviz.models.pixel_attention import PixelAttention


def pair(weight: list[list[float]], bias: list[float]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(weight).double(), torch.tensor(bias).double()


def test_by_hand() -> None:
    # value = x1 + 2 x2 + 1; output = (3 value, -value + 4); answer = output1 + 10 output2 + 5 = -7 value + 45
    line = folded(
        pair([[1, 2]], [1]), pair([[3], [-1]], [0, 4]), pair([[1, 10]], [5]), mean=0.5, std=0.25, shape=(1, 2)
    )
    np.testing.assert_allclose(line.weight, [[-28, -56]])
    # intensities 0 and 1 enter as -2 and 2: value = 3, answer = 24
    assert line.logit(np.array([[0.0, 1.0]])) == pytest.approx(24)
    assert isinstance(line, Line)


@pytest.mark.parametrize(("heads", "size"), [(1, 1), (2, 3)])
def test_it_is_the_model(heads: int, size: int) -> None:
    generator = torch.Generator().manual_seed(0)
    model = PixelAttention(
        classes=("8", "1"),
        heads=heads,
        head_size=size,
        rows=6,
        columns=6,
        patch=6,
        mean=0.2,
        std=0.4,
        generator=generator,
    ).double()
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=generator)
    model.requires_grad_(False)
    pictures = torch.rand(7, 1, 6, 6, generator=generator).double()
    layers = (model.attention.value, model.attention.output, model.classifier)
    line = folded(*((layer.weight, layer.bias) for layer in layers), mean=0.2, std=0.4, shape=(6, 6))
    np.testing.assert_allclose(line.logit(pictures[:, 0].numpy()), model(pictures)[:, 0].numpy(), rtol=1e-9)


def test_layers_that_do_not_fit_are_named() -> None:
    with pytest.raises(BadInput, match=r"\(1, 3\), \(2, 1\), \(1, 2\) do not turn the"):
        folded(pair([[1, 2, 3]], [1]), pair([[3], [-1]], [0, 4]), pair([[1, 10]], [5]), mean=0, std=1, shape=(1, 2))

"""What each pixel adds, against the same net on a blank picture with this pixel alone."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz.measures.pixel_attention.linear import PixelContribution, by_histogram, by_line, toward_answer
from attnviz.models.controls import Histogram, PixelLine
from attnviz.models.parts import LEVELS, levels_of

TEN = tuple("0123456789")


def pictured(seed: int = 1) -> Tensor:
    """A picture of 4 x 4 with paper and ink of eight bits, in double precision."""
    levels = np.random.default_rng(seed).integers(0, 256, (4, 4))
    levels[levels < 90] = 0
    return torch.from_numpy(levels / 255)


def line(classes: tuple[str, ...]) -> tuple[nn.Module, Any]:
    model = PixelLine(classes=classes, rows=4, columns=4, mean=0.2, std=0.4).double()
    return model, lambda image: by_line(model.classifier.weight / 0.4, image)


def histogram(classes: tuple[str, ...]) -> tuple[nn.Module, Any]:
    model = Histogram(classes=classes, bins=16, rows=4, columns=4).double()

    def added(image: Tensor) -> Tensor:
        return by_histogram(model.classifier.weight * (16 / image.numel()), levels_of(image) * 16 // LEVELS)

    return model, added


@pytest.mark.parametrize("classes", [TEN, ("8", "1")])
@pytest.mark.parametrize("build", [line, histogram])
@pytest.mark.parametrize("seed", range(3))
def test_a_pixel_adds_what_it_changes_alone_and_all_make_the_answer(
    build: Any, classes: tuple[str, ...], seed: int
) -> None:
    torch.manual_seed(seed)
    model, added = build(classes)
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    model.requires_grad_(False)
    image = pictured(seed)
    alone = torch.zeros(16, 1, 4, 4, dtype=torch.float64)
    alone.flatten(1)[range(16), range(16)] = image.flatten()
    logits = model(torch.cat([image[None, None], torch.zeros(1, 1, 4, 4), alone]))
    found = toward_answer(logits[0], added(image))
    if len(classes) == 2:
        assert found.answer == int(logits[0, 0] > 0)
        toward = logits[:, 0] if found.answer else -logits[:, 0]
    else:
        assert found.answer == logits[0].argmax()
        toward = logits[:, found.answer] - logits.mean(1)
    np.testing.assert_allclose(found.logit, toward[0], atol=1e-12)
    np.testing.assert_allclose(found.blank, toward[1], atol=1e-12)
    np.testing.assert_allclose(found.pixels.flatten(), toward[2:] - toward[1], atol=1e-12)
    np.testing.assert_allclose(found.blank + found.pixels.sum(), found.logit, atol=1e-12)


def test_by_hand() -> None:
    image = torch.tensor([[0.0, 0.5], [1.0, 0.25]])
    weight = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    found = toward_answer(torch.tensor([-7.0]), by_line(weight, image))
    assert isinstance(found, PixelContribution)
    assert (found.answer, found.logit) == (0, 7.0)
    assert found.pixels.tolist() == [[0.0, -1.0], [-3.0, -1.0]]
    assert found.blank == 12.0

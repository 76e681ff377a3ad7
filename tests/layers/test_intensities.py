"""What is refused before a model computes with it: attnviz/layers/intensities.py, on a model that does nothing else."""

from contextlib import nullcontext

import pytest
import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers import intensities
from attnviz.models.parts import check

IMAGES = torch.linspace(0, 1, 12).view(3, 1, 2, 2)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Linear(4, 2)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, 1, 2, 2)
        logits: Tensor = self.classifier(images.flatten(1))
        return logits


@pytest.fixture
def model() -> nn.Module:
    return Model().eval()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (IMAGES.to_sparse(), r"layout torch.sparse_coo: give it images.to_dense\(\)"),
        (IMAGES[:0], r"at least one picture, not a batch of shape \(0, 1, 2, 2\)"),
        (IMAGES.double(), r"computes in float32, and the pictures are float64: give it images.to\(torch.float32\)"),
        (IMAGES.bfloat16(), "computes in float32, and the pictures are bfloat16"),
        (IMAGES.to("meta"), r"on cpu, and the pictures are on meta: give it images.to\('cpu'\)"),
    ],
    ids=["sparse", "empty", "double", "half", "elsewhere"],
)
def test_what_torch_would_refuse_in_the_middle_is_refused_in_a_sentence(model: nn.Module, given: Tensor, said: str):
    with pytest.raises(BadInput, match=said):
        model(given)


def test_half_precision_is_taken_under_autocast_and_double_is_not(model: nn.Module):
    with torch.autocast("cpu", torch.bfloat16):
        model(IMAGES.bfloat16())
        with pytest.raises(BadInput, match="computes in float32"):
            model(IMAGES.double())


@pytest.mark.skipif(not intensities._CAN_ASSERT, reason="tried with no earlier torch")
def test_compiled_and_exported_models_look_at_the_range_themselves(model: nn.Module):
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    for one in (compiled, torch.export.export(model, (IMAGES,)).module()):
        torch.testing.assert_close(one(IMAGES), model(IMAGES))
        with pytest.raises(RuntimeError, match=r"takes intensities in 0\.\.1, and these lie outside. Divide"):
            one(255 * IMAGES)
    mapped = torch.compile(torch.func.vmap(model), backend="aot_eager")  # in which nothing can be looked at
    torch.testing.assert_close(mapped(IMAGES[:, None])[:, 0], model(IMAGES))


@pytest.mark.parametrize("training", [False, True])
def test_on_a_gpu_pictures_are_looked_at_but_in_training(monkeypatch, model: nn.Module, training: bool):
    monkeypatch.setattr(Tensor, "is_cuda", True)
    with nullcontext() if training else pytest.raises(BadInput, match=r"not in 0\.\.255"):
        intensities.check(model.train(training), 255 * IMAGES)  # with gradients on

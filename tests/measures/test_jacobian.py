"""The Jacobian of the shown logit against central differences, attnviz/measures/jacobian.py."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnviz.answers import predicted
from attnviz.errors import BadInput
from attnviz.measures.erasure import look
from attnviz.measures.jacobian import answered, jacobian, toward
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import trace
from tests.models.test_models import ALWAYS, VARIANTS, built, pictures
from tests.sweeps import sweep

STEP = 1e-6
COUNTING = ("histogram_line", "histogram_mlp")  # they have no derivative
SMOOTH = sweep((key for key, variant in VARIANTS.items() if variant[0] not in COUNTING), ALWAYS.__contains__)


class Pattern(TorchFunctionMode):
    """Remember which units each ReLU of a forward pass lets through."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tensor] = []

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        if function in (torch.relu, torch.nn.functional.relu, Tensor.relu):
            self.found.append(arguments[0].detach() > 0)
        return function(*arguments, **(keywords or {}))


def differences(model: nn.Module, images: Tensor, answer: Tensor) -> tuple[Tensor, Tensor]:
    """Return central differences of the shown logits, and at which numbers no activation pattern changes."""
    found, steady = torch.zeros_like(images), torch.ones_like(images, dtype=torch.bool)
    for picture, image in enumerate(images):
        places = image.numel()
        steps = STEP * torch.eye(places, dtype=image.dtype).reshape(places, *image.shape)
        with torch.no_grad(), Pattern() as pattern:  # all pictures at once, each with one number moved
            ends = toward(model(torch.cat([image + steps, image - steps])), answer[picture].expand(2 * places))
        found[picture] = ((ends[:places] - ends[places:]) / (2 * STEP)).reshape(image.shape)
        for units in pattern.found:
            up, down = units.reshape(2, places, -1)
            steady[picture] &= (up == down).all(-1).reshape(image.shape)
    return found, steady


@pytest.mark.parametrize("kind", ["k/255", "interior"])
@pytest.mark.parametrize("key", SMOOTH)
def test_it_equals_central_differences(key, kind):
    variant = VARIANTS[key]
    model = built(variant).double().eval().requires_grad_(False)
    images = pictures(variant, 2).double()
    if kind == "k/255":
        images = (images * 255).round() / 255
    found = jacobian(model, images)
    assert found.shape == images.shape and found.abs().max() > 0
    expected, steady = differences(model, images, predicted(model(images)))
    assert steady.double().mean() > 0.9  # those left out are few
    error = (found - expected)[steady].abs().max()
    assert error <= 1e-6 * expected.abs().max(), f"{error}; {int((~steady).sum())} places left out"


@pytest.mark.parametrize("key", SMOOTH)
def test_single_precision_is_near_double_precision(key):
    variant = VARIANTS[key]
    model = built(variant).eval()  # its weights require gradients, and get none
    images = pictures(variant, 3)
    found = jacobian(model, images)
    assert found.dtype == torch.float32 and not found.requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())
    exact = jacobian(model.double(), images.double())
    torch.testing.assert_close(found.double(), exact, rtol=1e-3, atol=1e-4 * float(exact.abs().max()))


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("name", COUNTING)
def test_a_model_that_counts_is_refused_in_a_sentence(name, frozen):
    variant = next(variant for variant in VARIANTS.values() if variant[0] == name)
    model = built(variant).eval().requires_grad_(not frozen)
    with pytest.raises(BadInput, match="Histogram has no derivative by its pictures"):
        jacobian(model, pictures(variant, 1))


def model_of(*classes: str) -> nn.Module:
    return PixelAttention(classes=classes, heads=2, head_size=2, rows=4, columns=6, mean=0.3, std=0.3,
                          generator=torch.Generator().manual_seed(3)).double().eval().requires_grad_(False)  # fmt: skip


IMAGES = torch.rand(3, 1, 4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(4))


def test_of_two_classes_the_log_odds_toward_each_are_opposite():
    model = model_of("8", "1")
    torch.testing.assert_close(jacobian(model, IMAGES, 0), -jacobian(model, IMAGES, 1))
    chosen = predicted(model(IMAGES))
    assert torch.equal(jacobian(model, IMAGES), jacobian(model, IMAGES, chosen))
    assert torch.equal(toward(model(IMAGES), chosen), model(IMAGES)[:, 0].abs())


def test_each_picture_may_have_a_class_of_its_own():
    model, wanted = model_of("a", "b", "c"), torch.tensor([2, 0, 1])
    apart = torch.cat([jacobian(model, image[None], int(a)) for image, a in zip(IMAGES, wanted, strict=True)])
    torch.testing.assert_close(jacobian(model, IMAGES, wanted), apart)
    every = torch.func.jacrev(lambda image: model(image[None])[0])(IMAGES[0])
    torch.testing.assert_close(every, torch.cat([jacobian(model, IMAGES[:1], a) for a in range(3)]))


@pytest.mark.parametrize(("answer", "message"), [
    (3, "There is no class 3: this model has 3, counted from 0"),
    (-1, "this model has 3"),
    (torch.tensor([0, 1]), r"one per picture \(3\), not tensor"),
    (0.5, "must be the number of a class"),
])  # fmt: skip
def test_a_class_that_is_not_there_is_refused(answer, message):
    with pytest.raises(BadInput, match=message):
        jacobian(model_of("a", "b", "c"), IMAGES, answer)


def test_it_is_the_same_whoever_listens_and_in_inference_mode():
    model = model_of("a", "b", "c")
    expected = jacobian(model, IMAGES)
    with trace(model, ["attention.weights"]) as seen:
        logits, found = answered(model, IMAGES)
    torch.testing.assert_close(found, expected)
    assert not seen["attention.weights"].tensor.requires_grad
    torch.testing.assert_close(logits, model(IMAGES))
    with torch.inference_mode():
        torch.testing.assert_close(jacobian(model, IMAGES.clone()), expected)


def test_erasing_ranks_places_by_this_jacobian():
    model = model_of("8", "1")
    steepness = jacobian(model, IMAGES[:1])[0].abs().sum(0).flatten()
    torch.testing.assert_close(torch.from_numpy(look(model, IMAGES[0]).gradient), steepness)

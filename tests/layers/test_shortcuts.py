"""When a shortcut may be taken, attnviz/layers/shortcuts.py, and that every model keeps to it."""

import pytest
import torch
from torch import Tensor, func, nn
from torch.autograd import forward_ad

from attnviz.layers.attention import Attention
from attnviz.layers.shortcuts import differentiated, transformed
from attnviz.layers.spatial_transformer import SpatialTransformer
from attnviz.models.pixel_attention import PixelAttention
from tests.models.test_models import VARIANTS, built, pictures

pytestmark = [  # torch's own: it still scripts for forward mode, and has no batch rule for the fused kernel
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning"),
]

COUNTING = ("histogram_line", "histogram_mlp")  # counts have no derivative
VALUES = torch.linspace(0, 1, 6)
TRANSFORMS = {
    "grad": lambda f: func.grad(f)(VALUES),
    "jacrev": lambda f: func.jacrev(f)(VALUES),
    "jacfwd": lambda f: func.jacfwd(f)(VALUES),
    "hessian": lambda f: func.hessian(f)(VALUES),
    "vjp": lambda f: func.vjp(f, VALUES),
    "jvp": lambda f: func.jvp(f, (VALUES,), (VALUES,)),
    "vmap": lambda f: func.vmap(f)(VALUES[None]),
}


@pytest.mark.parametrize("grad_mode", [torch.enable_grad, torch.no_grad])
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_tensor_inside_a_transform_counts_in_every_grad_mode(transform, grad_mode):
    found = []

    def looks(values: Tensor) -> Tensor:
        found.append((differentiated(values), transformed(values)))
        return values.sum()

    with grad_mode():
        transform(looks)
    assert found and set(found) == {(True, True)}


def test_a_plain_tensor_does_not_count_and_one_that_requires_a_gradient_or_has_a_tangent_does():
    assert not differentiated() and not differentiated(VALUES) and not transformed(VALUES)
    assert differentiated(VALUES, VALUES.clone().requires_grad_())
    with torch.inference_mode():
        assert not differentiated(torch.ones(2))
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(VALUES, VALUES)
        assert differentiated(dual) and transformed(dual) and not differentiated(VALUES)
        with torch.no_grad():
            assert differentiated(dual)


def _without_positions() -> nn.Module:
    return PixelAttention(classes=("a", "b", "c"), mean=0.3, std=0.3, heads=2, head_size=2, rows=4, columns=6,
                          generator=torch.Generator().manual_seed(0)).double().eval().requires_grad_(False)  # fmt: skip


def _eighths() -> Tensor:
    """Return a picture of few intensities, k/255 exactly."""
    levels = torch.randint(0, 3, (1, 1, 4, 6), generator=torch.Generator().manual_seed(0)) * 100
    return levels.double() / 255


def test_a_model_over_levels_has_the_jacobian_of_the_attention_among_pixels():
    model, image = _without_positions(), _eighths()
    assert model.levels(image) is not None
    moved = image + 1e-9  # not k/255, so spelled out
    assert model.levels(moved) is None
    expected = func.jacrev(model)(moved)
    assert expected.abs().max() > 0.01
    for transform in (func.jacrev, func.jacfwd):
        torch.testing.assert_close(transform(model)(image), expected, rtol=1e-6, atol=1e-8)
    tangent = torch.rand(image.shape, dtype=image.dtype, generator=torch.Generator().manual_seed(1))
    along = (expected * tangent).sum((2, 3, 4, 5)).double()
    with forward_ad.dual_level():
        found = forward_ad.unpack_dual(model(forward_ad.make_dual(image, tangent))).tangent
    torch.testing.assert_close(found, along, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("grad_mode", [torch.enable_grad, torch.no_grad])
def test_equal_tokens_that_move_apart_are_not_taken_once(grad_mode):
    layer = Attention(features=1, heads=2, head_size=2).double().requires_grad_(False)
    tokens = _eighths().flatten(2).mT
    tangent = torch.rand(tokens.shape, dtype=tokens.dtype, generator=torch.Generator().manual_seed(1))
    with grad_mode():
        _, found, *_ = func.jvp(layer, (tokens,), (tangent,))
    step = 1e-6
    expected = (layer(tokens + step * tangent) - layer(tokens - step * tangent)) / (2 * step)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


def test_models_are_mapped_over_their_weights():
    model, image = _without_positions(), _eighths()
    weights = {name: torch.stack([value, 2 * value]) for name, value in model.named_parameters()}
    found = func.vmap(lambda one: func.functional_call(model, one, image))(weights)
    torch.testing.assert_close(found[0], model(image))


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_a_pictures_derivative_under_transforms_is_the_one_by_the_backward_pass(variant):
    model = built(variant).double().eval().requires_grad_(False)
    images = (pictures(variant, 2) * 255).round().double() / 255
    pixels = images.clone().requires_grad_()
    if variant[0] in COUNTING:
        assert not model(pixels).requires_grad
        assert not func.jacrev(model)(images).any()
        return
    (expected,) = torch.autograd.grad(model(pixels).sum(), pixels)
    assert expected.abs().max() > 0
    for found in (
        func.grad(lambda several: model(several).sum())(images),
        func.vmap(func.grad(lambda one: model(one[None]).sum()))(images),
    ):
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-9)
    tangent = torch.rand(images.shape, dtype=images.dtype, generator=torch.Generator().manual_seed(1))
    try:
        with torch.no_grad():
            _, along, *_ = func.jvp(lambda several: model(several).sum(), (images,), (tangent,))
    except NotImplementedError as error:  # torch 2.15 is the first that differentiates grid_sample forward
        assert "grid_sampler_2d" in str(error)
        assert any(isinstance(layer, SpatialTransformer) for layer in model.modules())
        return
    torch.testing.assert_close(along, (expected * tangent).sum(), rtol=1e-6, atol=1e-9)

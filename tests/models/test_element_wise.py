"""Element-wise classifiers and their controls: attnviz/models/element_wise.py, vgg_control.py, plain_conv.py."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.measures.jacobian import jacobian
from attnviz.models import spec
from attnviz.models.controls import PlainConv, VGGControl
from attnviz.models.element_wise import ElementWise
from attnviz.recipes import RECIPES
from attnviz.tracing import trace
from attnviz.training.objectives import loss_of
from attnviz.training.run_file import config_of

TEN = tuple("0123456789")
COUNTS = {  # element_wise unless said: worked out by hand from 2 C R W H + 9 H C C + C a layer, and 10 C R W + 10
    "fashion-a": 33_088, "fashion-b": 33_084, "fashion-c": 58_320, "fashion-d": 58_316, "fashion-e": 58_326,
    "fashion-f": 58_318, "fashion-g": 108_790, "fashion-h": 108_782, "fashion-one-head": 11_006,
    "fashion-one-head-norm": 11_010, "fashion-no-skip": 33_084, "cifar": 229_942, "fashion-repaired": 31_146,
    "cifar-repaired": 272_938, "vgg_control.fashion": 929_510, "vgg_control.cifar": 961_310,
    "plain_conv.fashion": 25_250, "pixel_line.fashion": 7_850, "pixel_line.cifar": 30_730,
}  # fmt: skip


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(("name", "count"), COUNTS.items(), ids=COUNTS)
def test_the_number_of_parameters(name, count):
    recipe = RECIPES[name if "." in name else f"element_wise.{name}"]
    assert parameters(spec(recipe.model).build(config_of(recipe))) == count


def test_no_control_is_larger_than_what_it_controls():
    for control, model in (("plain_conv.fashion", "fashion-repaired"), ("plain_conv.cifar", "cifar-repaired"),
                           ("pixel_line.fashion", "fashion-b"), ("plain_conv.digits", "digits")):  # fmt: skip
        one, other = RECIPES[control], RECIPES[f"element_wise.{model}"]
        sizes = [parameters(spec(recipe.model).build(config_of(recipe))) for recipe in (one, other)]
        assert sizes[0] <= sizes[1]


def test_a_dead_net_loses_the_logarithm_of_ten_at_each_of_fifteen_batches():
    model = ElementWise(classes=TEN, output_norm=0.0, generator=seeded())
    with torch.no_grad():
        for layer in model.layers:
            layer.output_norm.weight.fill_(-1e-9)
            layer.output_norm.bias.fill_(-1e-3)
    images, labels = torch.rand(20, 1, 28, 28, generator=seeded()), torch.arange(20) % 10
    with trace(model, "layers.*.output") as seen:
        logits = model(images)
    assert not seen["layers.1.output"].tensor.any()
    assert not logits.any()
    assert (
        15 * float(loss_of(logits, labels).detach())
        == pytest.approx(15 * math.log(10))
        == pytest.approx(34.5388, abs=1e-4)
    )


@pytest.mark.parametrize(
    ("model", "constant"),
    [
        (ElementWise(classes=TEN, layers=4, heads=16, output_norm=1.0, relevance_affine=True, generator=seeded()), {}),
        (VGGControl(classes=TEN, widths=(30, 60), generator=seeded()), {}),
    ],
    ids=["element-wise", "control"],
)
def test_all_weights_are_drawn_with_a_standard_deviation_of_0_02_and_biases_are_0(model, constant):
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert not parameter.any(), name
        elif parameter.numel() > 100:
            assert float(parameter.detach().std()) == pytest.approx(0.02, rel=4 / (2 * parameter.numel()) ** 0.5), name
            assert abs(float(parameter.detach().mean())) < 0.02 * 4 / parameter.numel() ** 0.5
    if isinstance(model, ElementWise):
        scales = torch.cat([dict(layer.named_parameters())["output_norm.weight"] for layer in model.layers]).detach()
        assert ((scales - 1).abs() < 0.1).all() and (scales != 1).all()
        assert all(float(layer.norm.weight.detach().std()) < 0.05 for layer in model.layers)


def test_weights_drawn_as_torch_draws_them_lie_within_torchs_bounds():
    model = PlainConv(classes=TEN, generator=seeded())
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            bound = module.weight[0].numel() ** -0.5
            assert 0.9 * bound < float(module.weight.detach().abs().max()) <= bound
            theirs = type(module)(*([module.in_channels, module.out_channels, 3] if isinstance(module, nn.Conv2d)
                                    else [module.in_features, module.out_features]))  # fmt: skip
            spreads = [float(found.weight.detach().std()) for found in (module, theirs)]
            assert spreads[0] == pytest.approx(spreads[1], rel=0.15)


def by_hand(model: ElementWise, images: Tensor) -> Tensor:
    """Chain the layers, each checked by itself, around the blocks of pixels that become channels."""
    block = model.unshuffle
    batch, channels, rows, columns = images.shape
    maps = torch.zeros(batch, channels * block**2, rows // block, columns // block, dtype=images.dtype)
    for channel in range(channels):
        for down in range(block):
            for across in range(block):
                place = channel * block**2 + down * block + across
                maps[:, place] = (images[:, channel, down::block, across::block] - 0.4) / 0.3
    for layer in model.layers:
        maps = layer(maps)
    return maps.flatten(1) @ model.classifier.weight.T + model.classifier.bias


def test_blocks_of_pixels_become_channels_and_intensities_are_standardised():
    model = ElementWise(
        classes=TEN, heads=2, channels=3, rows=4, columns=8, unshuffle=2, mean=0.4, std=0.3, relevance_norm="even",
        arrays_std=0.5, initial="uniform", generator=seeded(),
    ).double().eval()  # fmt: skip
    images = torch.rand(2, 3, 4, 8, dtype=torch.float64, generator=seeded(1))
    torch.testing.assert_close(model(images), by_hand(model, images))


@pytest.mark.parametrize("options", [{"layers": 0}, {"unshuffle": 3}, {"unshuffle": 0}], ids=str)
def test_blocks_that_do_not_tile_the_picture_are_refused(options: dict[str, Any]):
    with pytest.raises(BadInput, match="do not tile 28 x 28"):
        ElementWise(classes=TEN, **options)


def test_the_controls_refuse_what_they_cannot_be():
    with pytest.raises(BadInput, match="multiples of 4 were expected, not 30 x 28"):
        VGGControl(classes=TEN, rows=30)
    with pytest.raises(BadInput, match="a width and a stride, not 2 and 3"):
        PlainConv(classes=TEN, widths=(1, 2))


def test_the_jacobian_of_a_batch_is_that_of_its_pictures():
    model = ElementWise(classes=TEN, heads=2, rows=4, columns=8, arrays_std=0.5, eps=1e-9, generator=seeded()).eval()
    images = torch.rand(3, 1, 4, 8, generator=seeded())
    apart = torch.cat([jacobian(model, image[None], 3) for image in images])
    torch.testing.assert_close(jacobian(model, images, 3), apart)

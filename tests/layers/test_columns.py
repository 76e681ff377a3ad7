"""Features of the columns of a strip: attnviz/layers/columns.py."""

import math

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.layers.columns import ColumnFeatures, PlaceNorm


@pytest.fixture(scope="module")
def layer() -> ColumnFeatures:
    torch.manual_seed(0)
    return ColumnFeatures(features=6)


@pytest.mark.parametrize("digits", [1, 2, 3, 15, 30])
def test_there_is_one_every_8_pixels(layer: ColumnFeatures, digits: int):
    columns = layer(torch.rand(2, 1, 28, 28 * digits))
    assert columns.shape == (2, math.ceil(3.5 * digits), 6)
    assert (columns >= 0).all()


def test_each_sees_15_columns_of_pixels_around_its_own(layer: ColumnFeatures):
    generator = torch.Generator().manual_seed(1)
    strip = torch.rand(1, 1, 28, 84, generator=generator)
    before = layer(strip)
    for pixel in range(84):
        changed = strip.clone()
        changed[..., pixel] = 1 - changed[..., pixel]
        seen_by = (layer(changed) != before).any(-1)[0].nonzero()[:, 0].tolist()
        assert seen_by == [column for column in range(11) if abs(8 * column - pixel) <= 7]


@pytest.mark.parametrize("shape", [(1, 28, 84), (2, 1, 27, 84), (2, 3, 28, 84)])
def test_other_pictures_are_refused(layer: ColumnFeatures, shape: tuple[int, ...]):
    with pytest.raises(BadInput, match=r"of shape \(batch, 1, 28, column\), not float32"):
        layer(torch.rand(shape))


def test_bytes_are_refused(layer: ColumnFeatures):
    with pytest.raises(BadInput, match="not uint8"):
        layer(torch.zeros(1, 1, 28, 28, dtype=torch.uint8))


def test_a_strip_gets_the_same_features_whatever_stands_beside_it_in_the_batch(layer: ColumnFeatures):
    strips = torch.rand(3, 1, 28, 56)
    torch.testing.assert_close(layer.train()(strips)[:1], layer.train()(strips[:1]))


def test_each_place_is_normalised_over_its_channels():
    maps = torch.rand(2, 6, 3, 4)
    found = PlaceNorm(6)(maps)
    torch.testing.assert_close(
        found.mean(1), torch.zeros(2, 3, 4), atol=1e-5, rtol=0
    )  # sums of six of single precision
    expected = (maps - maps.mean(1, keepdim=True)) / (maps.var(1, correction=0, keepdim=True) + 1e-5).sqrt()
    torch.testing.assert_close(found, expected)


class Tagged(torch.Tensor):
    """A tensor with more to it, as torchvision's are."""


@pytest.mark.parametrize(
    "run",
    [
        lambda layer, strips: layer(strips),
        lambda layer, strips: layer(strips.as_subclass(Tagged)),
        lambda layer, strips: torch.vmap(lambda one: layer(one[None]))(strips),
        lambda layer, strips: torch.func.grad(lambda one: layer(one).sum())(strips),
        lambda layer, strips: torch.func.hessian(lambda one: layer(one[..., :8]).sum())(strips),
    ],
    ids=["plain", "subclass", "vmap", "grad", "hessian"],
)
def test_strips_outside_of_0_to_1_are_refused(run):
    with pytest.raises(BadInput, match=r"takes intensities in 0\.\.1, not in 0\.\.255"):
        run(ColumnFeatures(features=4), 255 * torch.eye(28)[None, None])


@pytest.mark.parametrize("strips", [torch.zeros(1, 1, 28, 40).numpy(), [[0.0]], None], ids=["array", "list", "none"])
def test_what_is_no_tensor_is_refused(strips):
    with pytest.raises(BadInput, match=rf"not a {type(strips).__name__}: make a tensor of it"):
        ColumnFeatures(features=4)(strips)

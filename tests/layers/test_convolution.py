"""The convolution block, attnviz/layers/convolution.py, against loops that are written out."""

import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.layers.convolution import ConvBlock
from attnviz.tracing import trace


def maps(rows: int = 5, columns: int = 4) -> torch.Tensor:
    return torch.randn(2, 3, rows, columns, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def block(**options: object) -> ConvBlock:
    torch.manual_seed(0)
    return ConvBlock(**{"channels": 3, "output_channels": 2, "kernel": 2, **options}).double()


@pytest.mark.parametrize(("kernel", "padding", "before"), [(2, "same", 0), (3, "same", 1), (2, "valid", 0)])
def test_a_convolution_is_the_sum_over_its_window_with_zeros_outside(kernel, padding, before):
    layer, given = block(kernel=kernel, padding=padding), maps()
    with torch.no_grad(), trace(layer) as seen:
        layer(given)
    found = seen["after_conv"].tensor
    assert found.shape == ((2, 2, 5, 4) if padding == "same" else (2, 2, 4, 3))
    for row in range(found.shape[2]):
        for column in range(found.shape[3]):
            expected = layer.conv.bias.detach().expand(2, 2).clone()
            for down in range(kernel):
                for across in range(kernel):
                    at = row + down - before, column + across - before
                    if 0 <= at[0] < 5 and 0 <= at[1] < 4:
                        expected += given[:, :, at[0], at[1]] @ layer.conv.weight.detach()[:, :, down, across].T
            torch.testing.assert_close(found[:, :, row, column], expected)


def test_pooling_takes_the_maximum_and_what_is_left_over_only_if_asked():
    layer, given = block(pool=2), maps()
    with torch.no_grad(), trace(layer) as seen:
        layer(given)
    relu, pooled = seen["after_relu"].tensor, seen["after_pool"].tensor
    assert pooled.shape == (2, 2, 2, 2)
    assert torch.equal(pooled[:, :, 1, 0], relu[:, :, 2:4, 0:2].amax((2, 3)))
    with torch.no_grad():
        whole = block(pool=2, whole=True)(given)
    assert whole.shape == (2, 2, 3, 2)
    assert torch.equal(whole[:, :, :2], pooled)
    assert torch.equal(whole[:, :, 2, 1], relu[:, :, 4, 2:4].amax(-1))


def test_the_taps_follow_one_another():
    layer = block(norm=nn.BatchNorm2d(2), pool=2)
    with torch.no_grad(), trace(layer) as seen:
        result = layer(maps())
    assert tuple(seen) == ConvBlock.taps
    assert torch.equal(seen["before_conv"].tensor, maps())
    assert not torch.equal(seen["after_norm"].tensor, seen["after_conv"].tensor)
    assert torch.equal(seen["after_relu"].tensor, seen["after_norm"].tensor.clamp_min(0))
    assert torch.equal(seen["after_pool"].tensor, result)


def test_gradients_are_those_of_finite_differences():
    layer = block(pool=2, whole=True)
    assert torch.autograd.gradcheck(layer, (maps().requires_grad_(),))


@pytest.mark.parametrize("wrong", [{"channels": 0}, {"kernel": 0}, {"pool": 0}])
def test_a_block_of_nothing_is_refused(wrong):
    with pytest.raises(BadInput, match="must be above 0"):
        block(**wrong)

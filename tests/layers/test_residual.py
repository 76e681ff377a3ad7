"""The residual block, attnviz/layers/residual.py, from parts that are written out."""

import pytest
import torch
from torch.nn.functional import conv2d

from attnviz.edits import set_value
from attnviz.errors import BadInput
from attnviz.layers.residual import ConvNormRelu, ResidualBlock
from attnviz.layers.squeeze_excite import SqueezeExcite
from attnviz.tracing import trace

from .gates import filled, maps


def block(attention: SqueezeExcite | None = None, **options: int) -> ResidualBlock:
    sizes = {"channels": 6, "output_channels": 6, **options}
    made = filled(ResidualBlock(attention=attention, **sizes)).eval()
    assert isinstance(made, ResidualBlock)
    return made


def by_hand(layer: ResidualBlock, given: torch.Tensor, stride: int) -> torch.Tensor:
    branch = given
    for part, step in ((layer.first, stride), (layer.second, 1)):
        branch = conv2d(branch, part.conv.weight, stride=step, padding=1)
        shaped = [one[:, None, None] for one in (part.norm.running_mean, part.norm.running_var, part.norm.weight,
                                                 part.norm.bias)]  # fmt: skip
        branch = (branch - shaped[0]) / (shaped[1] + part.norm.eps).sqrt() * shaped[2] + shaped[3]
        branch = branch.clamp_min(0) if part is layer.first else branch
    skip = torch.zeros_like(branch)
    skip[:, : given.shape[1]] = given[:, :, ::stride, ::stride]
    return (branch + skip).clamp_min(0)


@pytest.mark.parametrize(("stride", "channels"), [(1, 6), (2, 9)])
def test_two_convolutions_and_a_skip_without_parameters(stride, channels):
    layer, given = block(stride=stride, output_channels=channels), maps()
    with torch.no_grad():
        found = layer(given)
        torch.testing.assert_close(found, by_hand(layer, given, stride), rtol=1e-12, atol=1e-12)
    assert found.shape == (3, channels, -(-5 // stride), -(-7 // stride))


def test_the_stages_follow_one_another_and_the_gate_stands_before_the_sum():
    layer, given = block(SqueezeExcite(channels=6, reduction=2)), maps()
    with torch.no_grad(), trace(layer) as seen:
        result = layer(given)
    names = [f"first.{tap}" for tap in ConvNormRelu.taps]
    names += ["second.before_conv", "second.after_conv", "second.after_norm"]
    names += [f"attention.{tap}" for tap in SqueezeExcite.taps] + ["after_skip", "output"]
    assert list(seen) == names
    assert torch.equal(seen["first.after_relu"].tensor, seen["second.before_conv"].tensor)
    assert torch.equal(seen["second.after_norm"].tensor, seen["attention.features"].tensor)
    assert torch.equal(seen["after_skip"].tensor, seen["attention.scaled"].tensor + given)
    assert torch.equal(result, seen["after_skip"].tensor.clamp_min(0))


def test_a_block_whose_gates_are_closed_hands_on_its_input():
    layer, given = block(SqueezeExcite(channels=6, reduction=2)), maps().abs()
    with torch.no_grad(), trace(layer, keep=(), edits={"attention.gate": set_value(0.0)}):
        assert torch.equal(layer(given), given)


def test_gradients_are_those_of_finite_differences():
    given = maps(2, 3, 3, count=2).requires_grad_()
    assert torch.autograd.gradcheck(block(channels=2, output_channels=3, stride=2), (given,))


@pytest.mark.parametrize("wrong", [{"channels": 7}, {"stride": 0}, {"channels": 0}])
def test_a_block_that_cannot_be_is_refused(wrong):
    with pytest.raises(BadInput, match="can add channels|must be 1 or more"):
        block(**wrong)


def test_a_gate_at_zero_silences_the_channels_that_a_block_adds_and_no_others():
    class Closed(torch.nn.Module):
        def forward(self, maps: torch.Tensor) -> torch.Tensor:
            return torch.zeros_like(maps)

    given = torch.rand(2, 3, 6, 6, generator=torch.Generator().manual_seed(0))
    found = ResidualBlock(channels=3, output_channels=5, stride=2, attention=Closed()).eval()(given)
    assert torch.equal(found[:, :3], given[:, :, ::2, ::2])
    assert not found[:, 3:].any()

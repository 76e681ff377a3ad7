"""Exact facts of gates, in float64: a dead squeeze is a constant, and a constant folds into the next convolution."""

import pytest
import torch
from torch import nn

from attnviz.layers.cbam import Cbam
from attnviz.layers.residual import ResidualBlock
from attnviz.layers.squeeze_excite import SqueezeExcite
from attnviz.tracing import trace


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def gate_of(layer: nn.Module, maps: torch.Tensor) -> torch.Tensor:
    with torch.no_grad(), trace(layer, ["reduced", "gate"]) as seen:
        layer(maps)
    assert torch.equal(seen["reduced"].tensor, torch.zeros_like(seen["reduced"].tensor)) is dead(layer)
    return seen["gate"].tensor


def dead(layer: nn.Module) -> bool:
    return bool((layer.reduce.weight == 0).all() and (layer.reduce.bias <= 0).all())


def with_weights(layer: nn.Module) -> nn.Module:
    """Return a layer in double precision with drawn weights, the same in every run."""
    for seed, weight in enumerate(layer.double().eval().parameters()):
        weight.data.copy_(drawn(*weight.shape, seed=seed))
    return layer


def kill(layer: nn.Module) -> None:
    """Make the narrow layer 0 for every picture."""
    with torch.no_grad():
        layer.reduce.weight.zero_()
        layer.reduce.bias.fill_(-1.0)


@pytest.mark.parametrize(("kind", "biases"), [(SqueezeExcite, 1), (Cbam, 2)])
def test_a_dead_squeeze_is_a_constant_gate(kind: type[nn.Module], biases: int) -> None:
    layer = with_weights(kind(channels=6, reduction=2))
    pictures = drawn(5, 6, 4, 4)
    alive = gate_of(layer, pictures)
    assert not torch.allclose(alive, alive[:1])
    kill(layer)
    gate = gate_of(layer, pictures)
    torch.testing.assert_close(gate, gate[:1].expand(5, -1), rtol=0, atol=1e-15)  # sigmoid rounds by its lane
    # CBAM adds the scores of means and of maxima, each with the bias.
    torch.testing.assert_close(gate[0], torch.sigmoid(biases * layer.excite.bias.detach()), rtol=0, atol=1e-15)
    with torch.no_grad():
        layer.excite.bias.zero_()
    half = torch.full((5, 6), 0.5, dtype=torch.float64)
    assert torch.equal(gate_of(layer, pictures), half)


def test_equal_gates_fold_into_the_next_convolution() -> None:
    layer = with_weights(SqueezeExcite(channels=6, reduction=2))
    convolution = nn.Conv2d(6, 3, 3, padding=1).double()
    pictures = drawn(5, 6, 7, 9, seed=1)
    before = convolution(layer(pictures)).detach()
    kill(layer)
    gate = gate_of(layer, pictures)[0]
    folded = nn.Conv2d(6, 3, 3, padding=1).double()
    with torch.no_grad():
        folded.weight.copy_(convolution.weight * gate[None, :, None, None])
        folded.bias.copy_(convolution.bias)
        torch.testing.assert_close(folded(pictures), convolution(layer(pictures)), rtol=0, atol=1e-13)
        assert not torch.allclose(
            folded(pictures), before
        )  # what a gate that varies does, no convolution can take over


@pytest.mark.parametrize("kind", [SqueezeExcite, Cbam])
def test_equal_gates_fold_into_the_normalisation_before_them_whatever_the_skip_adds(kind: type[nn.Module]) -> None:
    block = with_weights(ResidualBlock(channels=4, output_channels=6, attention=kind(channels=6, reduction=2)))
    if isinstance(block.attention, Cbam):
        with torch.no_grad():  # of the gates of channels alone: each place has a gate of 1/2
            for weight in block.attention.space.parameters():
                weight.zero_()
    kill(block.attention)
    pictures = drawn(5, 4, 7, 9, seed=1)
    with torch.no_grad():
        gated = block(pictures)
        gate = gate_of(block.attention, drawn(1, 6, 7, 9))[0] / (2 if kind is Cbam else 1)
        block.attention = nn.Identity()
        assert not torch.allclose(block(pictures), gated)
        block.second.norm.weight.mul_(gate)
        block.second.norm.bias.mul_(gate)
        torch.testing.assert_close(block(pictures), gated, rtol=0, atol=1e-12)

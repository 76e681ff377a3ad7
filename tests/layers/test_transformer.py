"""The layers of a Transformer against torch's own: attnviz/layers/transformer.py."""

import math

import pytest
import torch
from torch import Tensor, nn

from attnviz.layers.sequence_attention import SequenceAttention
from attnviz.layers.transformer import AddedPositions, DecoderLayer, EncoderLayer
from attnviz.tracing import trace

FEATURES, HEADS, HIDDEN = 8, 2, 12
SETTINGS = {"features": FEATURES, "heads": HEADS, "hidden": HIDDEN}
TORCHS = {
    "d_model": FEATURES, "nhead": HEADS, "dim_feedforward": HIDDEN, "dropout": 0.0, "batch_first": True,
    "norm_first": True, "dtype": torch.float64,
}  # fmt: skip


def some(tokens: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(3, tokens, FEATURES, generator=generator, dtype=torch.float64)


def randomised(layer: nn.Module) -> nn.Module:
    """Give every parameter, those of the norms too, a value of its own."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return layer.double()


def copy_attention(layer: SequenceAttention, other: nn.MultiheadAttention) -> None:
    parts = (layer.query, layer.key, layer.value)
    other.in_proj_weight.data = torch.cat([part.weight for part in parts])
    other.in_proj_bias.data = torch.cat([part.bias for part in parts])
    other.out_proj.load_state_dict(layer.output.state_dict())


def test_the_encoders_layer_equals_torchs_with_gradients():
    layer = randomised(EncoderLayer(**SETTINGS))
    other = nn.TransformerEncoderLayer(**TORCHS)
    copy_attention(layer.attention, other.self_attn)
    other.norm1.load_state_dict(layer.norm.state_dict())
    other.norm2.load_state_dict(layer.second_norm.state_dict())
    other.linear1.load_state_dict(layer.feed_forward[0].state_dict())
    other.linear2.load_state_dict(layer.feed_forward[2].state_dict())
    one, same = some(5, 1).requires_grad_(), some(5, 1).requires_grad_()
    found, expected = layer(one), other(same)
    torch.testing.assert_close(found, expected)
    found.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    torch.testing.assert_close(one.grad, same.grad)


def test_the_decoders_layer_equals_torchs_with_gradients():
    layer = randomised(DecoderLayer(**SETTINGS))
    other = nn.TransformerDecoderLayer(**TORCHS)
    copy_attention(layer.attention, other.self_attn)
    copy_attention(layer.cross, other.multihead_attn)
    for name, own in (("norm1", layer.norm), ("norm2", layer.second_norm), ("norm3", layer.third_norm)):
        getattr(other, name).load_state_dict(own.state_dict())
    other.linear1.load_state_dict(layer.feed_forward[0].state_dict())
    other.linear2.load_state_dict(layer.feed_forward[2].state_dict())
    one, same = some(4, 1).requires_grad_(), some(4, 1).requires_grad_()
    allowed = torch.ones(4, 4, dtype=torch.float64).tril()
    found = layer(one, layer.cross.offer(some(6, 2)), allowed)
    expected = other(same, some(6, 2), tgt_mask=allowed.log())
    torch.testing.assert_close(found, expected)
    found.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    torch.testing.assert_close(one.grad, same.grad)


def test_a_mask_between_0_and_1_scales_the_weight_before_the_sum():
    layer = randomised(DecoderLayer(**SETTINGS))
    memory, tokens = layer.cross.offer(some(6, 2)), some(4, 1)
    full = torch.ones(4, 4, dtype=torch.float64)
    half = full.clone()
    half[:, 1] = 0.5
    with trace(layer, keep=["attention.weights"]) as whole:
        layer(tokens, memory, full)
    with trace(layer, keep=["attention.weights"]) as scaled:
        layer(tokens, memory, half)
    expected = whole["attention.weights"].tensor * half
    torch.testing.assert_close(scaled["attention.weights"].tensor, expected / expected.sum(-1, keepdim=True))


def test_products_of_codes_are_sums_of_cosines_of_the_distance_alone():
    codes = AddedPositions(features=16).codes(12, torch.empty((), dtype=torch.float64)).double()
    products = codes @ codes.T
    for one in range(12):
        for other in range(12):
            rates = [10000 ** (-2 * i / 16) for i in range(8)]
            expected = sum(math.cos(rate * (one - other)) for rate in rates)
            assert float(products[one, other]) == pytest.approx(expected, abs=1e-5)
    assert products.diagonal(3).std() < 1e-5 < products[0].std()


def test_positions_are_added_and_shown():
    layer, tokens = AddedPositions(features=FEATURES), some(5, 1)
    with trace(layer) as seen:
        found = layer(tokens)
    torch.testing.assert_close(found - tokens, seen["code"].tensor.expand(3, -1, -1))

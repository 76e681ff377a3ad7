"""Attention over blocks, attnviz/layers/block_attention.py, against loops that are written out."""

import math

import pytest
import torch
from torch import Tensor, nn

from attnviz.layers.block_attention import BlockAttention, WithinBlocks, WithoutAttention
from attnviz.tracing import trace

HEADS, SIZE, TOKENS = 2, 3, 4


def layer(kind: type[BlockAttention]) -> BlockAttention:
    torch.manual_seed(0)
    return kind(features=HEADS * SIZE, heads=HEADS, output_features=5).double()


def tokens() -> Tensor:
    return torch.randn(2, TOKENS, HEADS * SIZE, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def part(linear: nn.Linear, token: Tensor, head: int) -> Tensor:
    return (linear.weight @ token + linear.bias).relu()[head * SIZE : (head + 1) * SIZE]


def finished(model: BlockAttention, token: Tensor, mixed: list[Tensor]) -> Tensor:
    """Add the block, project, cut off, and normalise with the epsilon under the root."""
    out = (model.output.weight @ (torch.cat(mixed) + token) + model.output.bias).relu()
    spread = (out - out.mean()).square().mean()
    return (out - out.mean()) / (spread + 1e-6).sqrt() * model.norm.weight + model.norm.bias


@pytest.mark.parametrize("kept", [[], ["weights"]])
def test_blocks_attend_to_blocks(kept):
    model, given = layer(BlockAttention), tokens()
    nn.init.normal_(model.norm.weight), nn.init.normal_(model.norm.bias)
    with torch.no_grad(), trace(model, keep=[*kept, "output"]) as seen:
        model(given)
        for picture in range(2):
            for query in range(TOKENS):
                mixed = []
                for head in range(HEADS):
                    asks = part(model.query, given[picture, query], head)
                    scores = [asks @ part(model.key, one, head) / math.sqrt(SIZE) for one in given[picture]]
                    weights = torch.stack(scores).softmax(0)
                    values = torch.stack([part(model.value, one, head) for one in given[picture]])
                    mixed.append(weights @ values)
                expected = finished(model, given[picture, query], mixed)
                torch.testing.assert_close(seen._visits["output"][0].tensor[picture, query], expected)


def test_within_blocks_features_attend_to_features_and_no_block_sees_another():
    model, given = layer(WithinBlocks), tokens()
    with torch.no_grad(), trace(model) as seen:
        result = model(given)
    assert tuple(seen) == WithinBlocks.taps
    weights = seen["feature_weights"]
    assert weights.axes == ("batch", "token", "target_feature", "source_feature")
    assert weights.tensor.shape == (2, TOKENS, SIZE, SIZE)
    torch.testing.assert_close(weights.tensor.sum(-1), torch.ones(2, TOKENS, SIZE, dtype=torch.float64))
    with torch.no_grad():
        token = given[1, 2]
        query, key, value = (
            torch.stack([part(linear, token, head) for head in range(HEADS)])
            for linear in (model.query, model.key, model.value)
        )
        mixed = torch.zeros(HEADS, SIZE, dtype=torch.float64)
        for target in range(SIZE):
            scores = torch.stack([query[:, target] @ key[:, source] / math.sqrt(SIZE) for source in range(SIZE)])
            for source, weight in enumerate(scores.softmax(0)):
                mixed[:, target] += weight * value[:, source]
        torch.testing.assert_close(result[1, 2], finished(model, token, list(mixed)))
        other = given.clone()
        other[1, 0] += 1
        assert torch.equal(model(other)[1, 2], result[1, 2])
        assert not torch.equal(layer(BlockAttention)(other)[1, 2], layer(BlockAttention)(given)[1, 2])


def test_without_attention_only_the_block_itself_is_handed_on():
    model, given = layer(WithoutAttention), tokens()
    with torch.no_grad(), trace(model) as seen:
        result = model(given)
        assert (seen._visits["mixed"][0].tensor == 0).all()
        expected = finished(model, given[0, 1], [torch.zeros(HEADS * SIZE, dtype=torch.float64)])
        torch.testing.assert_close(result[0, 1], expected)
    assert tuple(seen) == ("mixed", "joined", "output")
    torch.testing.assert_close(seen["joined"].tensor, given)


def test_all_three_have_the_same_parameters():
    shapes = [
        {name: tensor.shape for name, tensor in layer(kind).state_dict().items()}
        for kind in (BlockAttention, WithinBlocks, WithoutAttention)
    ]
    assert shapes[0] == shapes[1] == shapes[2]


@pytest.mark.parametrize("kind", [BlockAttention, WithinBlocks, WithoutAttention])
def test_a_block_whose_features_are_all_cut_off_has_a_finite_gradient(kind):
    model = layer(kind)
    nn.init.constant_(model.output.bias, -100.0)
    given = tokens().requires_grad_()
    model(given).square().sum().backward()
    assert torch.isfinite(given.grad).all()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize("kind", [BlockAttention, WithinBlocks, WithoutAttention])
def test_gradients_are_those_of_finite_differences(kind):
    assert torch.autograd.gradcheck(layer(kind), (tokens().requires_grad_(),))

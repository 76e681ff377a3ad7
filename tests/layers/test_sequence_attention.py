"""Attention from one sequence to another, masked, and step by step: attnviz/layers/sequence_attention.py."""

import pytest
import torch
from torch import Tensor, nn

from attnviz.layers.sequence_attention import Known, Offered, SequenceAttention
from attnviz.tracing import trace

FEATURES, HEADS = 8, 2


def built() -> SequenceAttention:
    torch.manual_seed(0)
    return SequenceAttention(features=FEATURES, heads=HEADS, head_size=FEATURES // HEADS).double()


def torchs(layer: SequenceAttention) -> nn.MultiheadAttention:
    """Return torch's own layer with the same weights."""
    other = nn.MultiheadAttention(FEATURES, HEADS, batch_first=True, dtype=torch.float64)
    parts = (layer.query, layer.key, layer.value)
    with torch.no_grad():
        other.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        other.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        other.out_proj.load_state_dict(layer.output.state_dict())
    return other


def some(tokens: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(3, tokens, FEATURES, generator=generator, dtype=torch.float64)


def causal(steps: int) -> Tensor:
    return torch.ones(steps, steps, dtype=torch.float64).tril().log()


@pytest.mark.parametrize("listening", [False, True])
@pytest.mark.parametrize("case", ["self", "masked", "cross"])
def test_it_equals_torchs_layer(case: str, listening: bool):
    layer, tokens = built(), some(5, 1)
    source = some(7, 2) if case == "cross" else tokens
    mask = causal(5) if case == "masked" else None
    with torch.no_grad():
        expected, weights = torchs(layer)(tokens, source, source, attn_mask=mask, average_attn_weights=False)
        if listening:
            with trace(layer) as seen:
                found = layer(tokens, source, mask)
            torch.testing.assert_close(seen["weights"].tensor, weights)
        else:
            found = layer(tokens, None if source is tokens else source, mask)
    torch.testing.assert_close(found, expected)


def test_gradients_equal_those_of_torchs_layer():
    layer = built()
    other = torchs(layer)
    one, same = some(5, 1).requires_grad_(), some(5, 1).requires_grad_()
    layer(one, some(7, 2)).pow(2).sum().backward()
    other(same, some(7, 2), some(7, 2), need_weights=False)[0].pow(2).sum().backward()
    torch.testing.assert_close(one.grad, same.grad)


def test_masked_rows_are_lower_triangular_and_those_below_are_not_empty():
    layer = built()
    with trace(layer, keep=["weights"]) as seen:
        layer(some(5, 1), None, causal(5))
    weights = seen["weights"].tensor
    assert not weights.triu(1).any()
    assert (weights.tril() != 0).sum() == 3 * HEADS * 15


def test_step_by_step_it_gives_what_it_gives_at_once():
    layer, tokens = built(), some(5, 1)
    at_once = layer(tokens, None, causal(5))
    known, rows = Known(9), []
    with trace(layer) as seen:
        for step in range(5):
            here = tokens[:, step : step + 1]
            offered = known.with_step(layer.offer(here, "step"))
            hidden = (torch.arange(9) <= step).double().log()[None]
            rows.append(layer.look(here, offered, hidden, "step"))
    torch.testing.assert_close(torch.cat(rows, 1), at_once)
    assert seen["weights"].tensor.shape == (5, 3, HEADS, 1, 9)
    assert not seen["weights"].tensor[0, ..., 1:].any()
    assert seen["key"].tensor.shape == (5, 3, HEADS, 1, FEATURES // HEADS)


def test_what_is_known_has_always_the_same_shape_and_keeps_what_was_offered():
    known = Known(3)
    for step in (1.0, 2.0):
        found = known.with_step(Offered(torch.full((1, 1, 1, 2), step), torch.full((1, 1, 1, 2), -step)))
        assert found.key.shape == found.value.shape == (1, 1, 3, 2)
    assert found.key[0, 0, :, 0].tolist() == [1.0, 2.0, 0.0]
    assert found.value[0, 0, :, 1].tolist() == [-1.0, -2.0, 0.0]

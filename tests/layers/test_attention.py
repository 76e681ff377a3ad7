"""Attention against independent computations, attnviz/layers/attention.py."""

import math
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from attnviz.errors import BadInput
from attnviz.layers import attention
from attnviz.layers.attention import Attention, attend, scores_of
from attnviz.tracing import Grid, trace

SHAPES = [  # features, heads, head_size, output_features
    (1, 1, 1, None),
    (1, 3, 6, None),
    (5, 2, 3, 4),
    (6, 3, 2, None),
    (4, 1, 7, 1),
]


def layer_of(features: int, heads: int, head_size: int, output_features: int | None = None, seed: int = 0) -> Attention:
    generator = torch.Generator().manual_seed(seed)
    layer = Attention(features=features, heads=heads, head_size=head_size, output_features=output_features)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, generator=generator)
    return layer


def by_hand(layer: Attention, tokens: Tensor) -> dict[str, Tensor]:
    """Spell the layer out in float64, number by number, with loops over picture, head, query and key."""
    state = {name: tensor.detach().double() for name, tensor in layer.state_dict().items()}
    batch, count, _ = tokens.shape
    heads, size = layer.heads, layer.head_size
    tokens = tokens.detach().double()
    told = {name: torch.zeros(batch, heads, count, size, dtype=torch.float64) for name in ("query", "key", "value")}
    told["scores"] = torch.zeros(batch, heads, count, count, dtype=torch.float64)
    told["weights"], told["mixed"] = told["scores"].clone(), told["query"].clone()
    told["output"] = torch.zeros(batch, count, len(state["output.bias"]), dtype=torch.float64)
    for b in range(batch):
        for t in range(count):
            for h in range(heads):
                for s in range(size):
                    row = h * size + s
                    for name in ("query", "key", "value"):
                        dot = sum(w * x for w, x in zip(state[f"{name}.weight"][row], tokens[b, t], strict=True))
                        told[name][b, h, t, s] = dot + state[f"{name}.bias"][row]
        for h in range(heads):
            for q in range(count):
                for k in range(count):
                    product = (told["query"][b, h, q] * told["key"][b, h, k]).sum()
                    told["scores"][b, h, q, k] = product / math.sqrt(size)
                terms = [math.exp(score - max(told["scores"][b, h, q])) for score in told["scores"][b, h, q]]
                for k in range(count):
                    told["weights"][b, h, q, k] = terms[k] / sum(terms)
                    told["mixed"][b, h, q] += told["weights"][b, h, q, k] * told["value"][b, h, k]
        for t in range(count):
            joined = torch.cat([told["mixed"][b, h, t] for h in range(heads)])
            told["output"][b, t] = state["output.weight"] @ joined + state["output.bias"]
    return told


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_tap_and_the_output_equal_the_computation_by_hand(shape):
    layer = layer_of(*shape)
    tokens = torch.randn(2, 5, shape[0], generator=torch.Generator().manual_seed(1))
    expected = by_hand(layer, tokens)
    with trace(layer) as seen:
        spelled_out = layer(tokens)
    assert list(seen) == list(layer.taps)
    for name in layer.taps:
        torch.testing.assert_close(seen[name].tensor.double(), expected[name], rtol=1e-4, atol=1e-5)
    for output in (spelled_out, layer(tokens)):
        torch.testing.assert_close(output.detach().double(), expected["output"], rtol=1e-4, atol=1e-5)


def _gradients(output: Tensor, layer: nn.Module, tokens: Tensor) -> list[Tensor]:
    loss = (output * torch.linspace(-1, 1, output.numel(), dtype=output.dtype).reshape(output.shape)).sum()
    return list(torch.autograd.grad(loss, [tokens, *layer.parameters()]))


@pytest.mark.parametrize("listened", [[], ["scores"], ["weights"]], ids=["fused", "by scores", "by weights"])
@pytest.mark.parametrize(("heads", "size"), [(1, 6), (3, 2), (2, 5)])
def test_it_equals_torchs_own_attention_in_outputs_and_gradients(heads, size, listened):
    features = heads * size
    layer = layer_of(features, heads, size).double()
    theirs = nn.MultiheadAttention(features, heads, batch_first=True, dtype=torch.float64)
    parts = (layer.query, layer.key, layer.value)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.load_state_dict(layer.output.state_dict())
    tokens = torch.randn(2, 7, features, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    tokens.requires_grad_()
    expected, weights = theirs(tokens, tokens, tokens, average_attn_weights=False)
    if listened:
        with trace(layer, keep=listened) as seen:
            output = layer(tokens)
        if "weights" in seen:
            torch.testing.assert_close(seen["weights"].tensor, weights.detach())
    else:
        output = layer(tokens)
    torch.testing.assert_close(output, expected)
    ours = _gradients(output, layer, tokens)
    tokens_gradient, in_weight, in_bias, *out = _gradients(expected, theirs, tokens)
    torch.testing.assert_close(ours[0], tokens_gradient)
    torch.testing.assert_close(torch.cat(ours[1:7:2]), in_weight)
    torch.testing.assert_close(torch.cat(ours[2:7:2]), in_bias)
    torch.testing.assert_close(ours[7:], out)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_fused_and_the_spelled_out_path_have_the_same_gradients(shape):
    layer = layer_of(*shape).double()
    tokens = torch.randn(2, 6, shape[0], dtype=torch.float64, requires_grad=True)
    fused = layer(tokens)
    with trace(layer, keep=["weights"]):
        spelled_out = layer(tokens)
    torch.testing.assert_close(fused, spelled_out)
    torch.testing.assert_close(_gradients(fused, layer, tokens), _gradients(spelled_out, layer, tokens))


@pytest.mark.parametrize(
    ("options", "fused"),
    [
        (None, True),
        ({"keep": ["query", "key", "value", "mixed", "output"]}, True),
        ({"keep": [], "edits": {"mixed": torch.zeros_like}}, True),
        ({"keep": ["scores"]}, False),
        ({"keep": ["weights"]}, False),
        ({"keep": [], "edits": {"scores": torch.zeros_like}}, False),
    ],
    ids=["no trace", "others kept", "mixed edited", "scores kept", "weights kept", "scores edited"],
)
def test_the_fused_kernel_runs_exactly_where_nobody_listens_to_scores_or_weights(monkeypatch, options, fused):
    kernel = Mock(wraps=functional.scaled_dot_product_attention)
    monkeypatch.setattr(attention, "scaled_dot_product_attention", kernel)
    layer, tokens = layer_of(2, 2, 3), torch.randn(1, 4, 2)
    if options is None:
        layer(tokens)
    else:
        with trace(layer, **options):
            layer(tokens)
    assert kernel.call_count == int(fused)


def test_a_head_switched_off_behind_the_fused_kernel_equals_its_weights_set_to_zero():
    layer, tokens = layer_of(2, 3, 4), torch.randn(2, 5, 2)

    def without(head: int) -> object:
        def edit(tensor: Tensor) -> Tensor:
            return tensor.index_fill(1, torch.tensor([head]), 0.0)

        return edit

    for head in range(3):
        with trace(layer, keep=[], edits={"mixed": without(head)}):
            fused = layer(tokens)
        with trace(layer, keep=[], edits={"weights": without(head)}):
            spelled_out = layer(tokens)
        torch.testing.assert_close(fused, spelled_out, rtol=1e-4, atol=1e-5)
        assert not torch.allclose(fused, layer(tokens), atol=1e-3)


def test_a_head_made_uniform_behind_the_fused_kernel_equals_its_weights_made_even():
    layer, tokens = layer_of(2, 3, 4), torch.randn(2, 5, 2)
    with trace(layer, keep=["value"]) as seen:
        layer(tokens)
    means = seen["value"].tensor.mean(2, keepdim=True)
    choose = torch.tensor([False, True, False])[:, None, None]
    with trace(layer, keep=[], edits={"mixed": lambda mixed: torch.where(choose, means, mixed)}):
        fused = layer(tokens)
    with trace(layer, keep=[], edits={"weights": lambda weights: torch.where(choose, 1 / 5, weights)}):
        spelled_out = layer(tokens)
    torch.testing.assert_close(fused, spelled_out, rtol=1e-4, atol=1e-5)


def test_readings_carry_the_grid_that_the_layer_was_given():
    layer = Attention(features=1, heads=1, head_size=1, grid=Grid(2, 3))
    with trace(layer) as seen:
        layer(torch.randn(1, 6, 1))
    assert {reading.grid for reading in seen.values()} == {Grid(2, 3)}


def test_constructor_arguments_are_keywords_only():
    with pytest.raises(TypeError, match="positional"):
        Attention(4, 2, 2)  # type: ignore[call-arg]


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, 0, 1), (1, 1, -2)])
def test_sizes_below_one_are_refused(sizes):
    with pytest.raises(BadInput, match="above 0, not"):
        Attention(features=sizes[0], heads=sizes[1], head_size=sizes[2])


@pytest.mark.parametrize("masked", [False, True])
def test_attending_equals_a_loop_in_double_precision(masked):
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(2, 3, 4, 5, generator=generator, dtype=torch.float64)  # four queries, six keys
    key, value = (torch.randn(2, 3, 6, 5, generator=generator, dtype=torch.float64) for _ in range(2))
    mask = torch.full((4, 6), -math.inf, dtype=torch.float64).triu(3) if masked else None
    expected = torch.zeros_like(query)
    for batch in range(2):
        for head in range(3):
            for q in range(4):
                allowed = [k for k in range(6) if not masked or k < q + 3]
                scores = [float(query[batch, head, q] @ key[batch, head, k]) / math.sqrt(5) for k in allowed]
                total = sum(map(math.exp, scores))
                for k, score in zip(allowed, scores, strict=True):
                    expected[batch, head, q] += math.exp(score) / total * value[batch, head, k]
    torch.testing.assert_close(attend(query, key, value, mask), expected)
    torch.testing.assert_close(scores_of(query, key, mask).softmax(-1) @ value, expected)


def test_a_masked_key_changes_nothing():
    query, key, value = (torch.randn(1, 2, 5, 4) for _ in range(3))
    mask = torch.full((5, 5), -math.inf).triu(1)
    before = attend(query, key, value, mask)
    key[:, :, 3:], value[:, :, 3:] = 9.0, -9.0
    after = attend(query, key, value, mask)
    assert torch.equal(before[:, :, :3], after[:, :, :3])
    assert not torch.equal(before[:, :, 3:], after[:, :, 3:])


@pytest.mark.parametrize("features", [4, 64])
def test_scores_of_independent_unit_components_spread_by_1_and_unscaled_by_the_root_of_their_number(features: int):
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(500, features, generator=generator, dtype=torch.float64) for _ in range(2))
    assert float((query @ key.mT).std()) == pytest.approx(features**0.5, rel=0.02)
    assert float(scores_of(query, key).std()) == pytest.approx(1, rel=0.02)

"""Equal tokens attend once, attnviz/equal_tokens.py: the numbers of attention among all tokens."""

from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from attnviz.equal_tokens import distinct, level_counts, repeated
from attnviz.layers import attention
from attnviz.layers.attention import Attention
from attnviz.tracing import trace
from tests.layers.test_attention import by_hand, layer_of


def test_distinct_rows_their_places_and_counts_give_the_rows_again():
    rows = torch.tensor([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    first, count, which = distinct(rows)
    assert torch.equal(rows[first], torch.tensor([[0.0, 5.0], [1.0, 2.0], [2.0, 1.0]]))
    assert torch.equal(rows[first][which], rows) and count.tolist() == [1, 3, 1]


def test_repeated_finds_repeats_of_one_picture_only_and_only_where_they_are_many():
    tokens = (torch.arange(12.0) % 3)[None, :, None]
    found = repeated(tokens)
    assert found is not None and found.times.tolist() == [4, 4, 4]
    assert torch.equal(tokens[0, found.first][found.which], tokens[0])
    assert repeated(tokens.expand(2, -1, -1)) is None
    assert repeated(torch.arange(12.0)[None, :, None] // 1.5) is None


def test_levels_are_counted_for_each_picture():
    levels = torch.tensor([[0, 3, 3, 1], [2, 2, 2, 2]])
    assert level_counts(levels, 4).tolist() == [np.bincount(row, minlength=4).tolist() for row in levels.numpy()]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equal_tokens_of_one_picture_attend_once_to_the_same_numbers(monkeypatch, dtype):
    layer = layer_of(1, 3, 4).to(dtype)
    levels = torch.tensor([0.0, 0.3, 1.0], dtype=dtype)
    tokens = levels[torch.randint(3, (40,))][None, :, None]
    kernel = Mock(wraps=functional.scaled_dot_product_attention)
    monkeypatch.setattr(attention, "scaled_dot_product_attention", kernel)
    with torch.no_grad():
        distinct = layer(tokens)
        with trace(layer, keep=["weights"]):
            spelled_out = layer(tokens)
    assert kernel.call_args.args[0].shape[2] == 3
    torch.testing.assert_close(distinct, spelled_out)


def test_tokens_of_equal_sums_that_differ_are_not_taken_for_equal():
    layer, numbers = layer_of(2, 3, 4), torch.arange(30) % 5
    tokens = torch.stack([numbers, -numbers], dim=-1)[None].float()
    with torch.no_grad():
        quick = layer(tokens)
        with trace(layer, keep=["weights"]):
            spelled_out = layer(tokens)
    torch.testing.assert_close(quick, spelled_out)


@pytest.mark.parametrize("part", ["query", "key", "value"])
def test_equal_tokens_that_an_edit_makes_unequal_attend_each_for_itself(part):
    layer, tokens = layer_of(1, 3, 4), (torch.arange(12) % 3)[None, :, None].float()
    generator = torch.Generator().manual_seed(1)
    added = torch.randn(12, 4, generator=generator)
    with torch.no_grad():
        with trace(layer, keep=[], edits={part: lambda tensor: tensor + added}):
            quick = layer(tokens)
        with trace(layer, keep=["weights"], edits={part: lambda tensor: tensor + added}):
            spelled_out = layer(tokens)
    torch.testing.assert_close(quick, spelled_out)
    assert not torch.allclose(quick, layer(tokens), atol=1e-3)


PICTURES = {  # levels of the tokens of each picture
    "few levels": [[3, 3, 9, 200, 9, 3], [0, 255, 0, 0, 7, 7]],
    "constant": [[17] * 6, [0] * 6, [255] * 6],
    "without black": [[5, 9, 255, 255, 30, 6]],
    "without white": [[0, 0, 3, 90, 254, 1]],
    "all in one batch": [[3, 3, 9, 200, 9, 3], [17] * 6, [5, 9, 255, 255, 30, 6], [0, 0, 3, 90, 254, 1], [17] * 6],
}


def _over_levels(layer: Attention, levels: Tensor, intensities: Tensor) -> Tensor:
    counts = torch.stack([torch.bincount(row, minlength=len(intensities)) for row in levels]).to(intensities.dtype)
    attended = layer.over_levels(intensities[:, None], counts)
    return torch.stack([attended[picture][row] for picture, row in enumerate(levels)])


@pytest.mark.parametrize("pictures", PICTURES.values(), ids=PICTURES)
@pytest.mark.parametrize(("heads", "size"), [(1, 1), (1, 6), (3, 1), (3, 6)])
def test_over_levels_equals_the_plain_layer_in_outputs_and_gradients(heads, size, pictures):
    layer = layer_of(1, heads, size, seed=heads * size).double()
    levels = torch.tensor(pictures)
    intensities = (torch.arange(256, dtype=torch.float64) / 255 - 0.13) / 0.31
    tokens = intensities[levels][..., None].requires_grad_()
    expected = layer(tokens)
    output = _over_levels(layer, levels, intensities)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(
        torch.autograd.grad(output.square().sum(), list(layer.parameters())),
        torch.autograd.grad(expected.square().sum(), list(layer.parameters())),
    )


@pytest.mark.parametrize("pictures", PICTURES.values(), ids=PICTURES)
@pytest.mark.parametrize("sign", [1, -1])
def test_over_levels_stays_exact_where_scores_reach_tens_of_thousands(sign, pictures):
    layer = Attention(features=1, heads=2, head_size=1)
    with torch.no_grad():
        for part in (layer.query, layer.key, layer.value):
            part.weight.copy_(torch.tensor([[1.0], [0.9]]))
            part.bias.zero_()
        layer.key.weight.mul_(sign)
    levels, intensities = torch.tensor(pictures), torch.arange(256.0)  # unscaled
    expected = by_hand(layer, intensities[levels][..., None])
    assert expected["scores"].abs().max() > 10_000 or max(map(max, pictures)) < 100
    output = _over_levels(layer, levels, intensities)
    assert torch.isfinite(output).all()
    torch.testing.assert_close(output.detach().double(), expected["output"], rtol=1e-4, atol=1e-3)
    gradients = torch.autograd.grad(output.sum(), list(layer.parameters()))
    assert all(torch.isfinite(gradient).all() for gradient in gradients)


def test_over_levels_never_looks_at_a_level_that_does_not_occur():
    layer = layer_of(1, 2, 3)
    intensities = torch.linspace(-1, 2, 8)
    levels = torch.tensor([[2, 2, 3, 5], [2, 5, 5, 5]])
    poisoned = intensities.clone()
    poisoned[[0, 1, 6, 7]] = torch.tensor([1e4, -1e4, 1e4, -1e4])
    torch.testing.assert_close(_over_levels(layer, levels, poisoned), _over_levels(layer, levels, intensities))

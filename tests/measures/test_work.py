"""Multiply-adds, counted by hand."""

import pytest
import torch
from torch import nn

from attnviz.layers.attention import Attention
from attnviz.measures.cost import multiply_adds


def test_a_convolution_and_a_matrix_are_counted_and_nothing_else() -> None:
    model = nn.Sequential(nn.Conv2d(2, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(3 * 4 * 5, 7))
    # 4 x 5 places, 3 channels, 2 channels of 2 x 2 each; then 60 x 7.
    assert multiply_adds(model, torch.zeros(1, 2, 5, 6)) == 4 * 5 * 3 * 2 * 4 + 60 * 7


@pytest.mark.parametrize("tokens", [3, 6])
def test_attention_counts_all_pairs_where_its_weights_are_kept(tokens: int) -> None:
    layer = Attention(features=8, heads=2, head_size=4)
    projections = 4 * tokens * 8 * 8
    assert multiply_adds(layer, torch.zeros(1, tokens, 8), ["weights"]) == projections + 2 * tokens * tokens * 8

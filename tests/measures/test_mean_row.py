"""What the ink takes from, against weights that are spelled out."""

import numpy as np
import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures import attention
from attnviz.measures.attention import bits_from_even, inked, mean_row
from attnviz.readings import Grid


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("block", [1, 3, 512])
def test_a_mean_row_is_the_mean_of_chosen_rows(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(attention, "_BLOCK", block)
    query, key = drawn(3, 7, 2), drawn(3, 5, 2, seed=1)
    chosen = torch.tensor([True, False, True, True, False, False, True])
    scores = np.einsum("hqs,hks->hqk", query, key) / np.sqrt(2)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    expected = 5 * weights[:, [0, 2, 3, 6]].mean(1)
    np.testing.assert_allclose(mean_row(query, key, chosen), expected, rtol=1e-12)
    np.testing.assert_allclose(mean_row(query[1], key[1], chosen), expected[1], rtol=1e-12)
    np.testing.assert_allclose(mean_row(query, key, chosen).mean(-1), 1)


def test_a_mean_of_no_rows_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one query"):
        mean_row(drawn(4, 2), drawn(4, 2), torch.zeros(4, dtype=torch.bool))


def test_what_has_ink_and_where_nothing_has_all_of_it() -> None:
    images = torch.zeros(3, 1, 4, 4)
    images[0, 0, 3, 1] = 1 / 255
    images[1, 0, :2] = 1
    grid = Grid(2, 2, prefix=1, stride=2, field=2)
    assert inked(images, grid).tolist() == [
        [False, False, False, True, False],
        [False, True, True, False, False],
        [False, True, True, True, True],
    ]


def test_boxes_that_reach_over_the_edge_have_the_ink_of_what_lies_on_the_picture() -> None:
    images = torch.zeros(1, 1, 4, 4)
    images[0, 0, 0, 0] = 1
    # Boxes of 3 x 3 around every second pixel: they cover 4, 6 or 9 of the picture's.
    assert inked(images, Grid(2, 2, offset=(-1, -1), stride=2, field=3)).tolist() == [[True, False, False, False]]


def test_bits_count_from_the_even_share_to_one_key() -> None:
    found = bits_from_even(torch.tensor([[1.0, 1, 1, 1], [4, 0, 0, 0], [2, 2, 0, 0]], dtype=torch.float64))
    np.testing.assert_allclose(found, [0, 2, 1], atol=1e-12)

"""Heads of two nets matched by their maps: attnviz/measures/matched_heads.py."""

from itertools import permutations

import numpy as np
import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.matched_heads import match, shuffled, similarity


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_similarity_is_the_correlation_of_the_maps_of_a_picture() -> None:
    one, other = drawn(3, 4, 20), drawn(3, 5, 20, seed=1)
    found = similarity(one.float(), other.float())
    assert found.dtype == torch.float64
    for picture in range(3):
        whole = np.corrcoef(np.vstack([one[picture].numpy(), other[picture].numpy()]))
        np.testing.assert_allclose(found[picture].numpy(), whole[:4, 4:], atol=1e-6)


def test_a_factor_changes_nothing_and_the_opposite_is_not_alike() -> None:
    one = drawn(2, 3, 10)
    found = similarity(one, torch.cat([3 * one, 1 - one], 1))
    for head in range(3):
        np.testing.assert_allclose(found[:, head, head], 1)
        np.testing.assert_allclose(found[:, head, 3 + head], -1)


def test_a_map_that_is_the_same_everywhere_is_like_none() -> None:
    even = torch.full((1, 1, 784), 1 / 784).double()
    rounded = (even * (1 + 1e-7 * drawn(1, 1, 784))).float()
    assert similarity(torch.cat([even, rounded.double()], 1), drawn(1, 2, 784)).tolist() == [[[0, 0], [0, 0]]]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 2), (3, 5), (5, 3), (6, 6), (1, 4)])
@pytest.mark.parametrize("seed", range(5))
def test_the_match_has_the_largest_sum_of_all(rows: int, columns: int, seed: int) -> None:
    alike = 2 * drawn(rows, columns, seed=seed) - 1
    found = match(alike)
    assert found == sorted(found)
    assert len({head for head, _ in found}) == len({other for _, other in found}) == len(found) == min(rows, columns)
    wide = alike if rows <= columns else alike.mT
    best = max(
        sum(float(wide[row, column]) for row, column in enumerate(chosen))
        for chosen in permutations(range(wide.shape[1]), wide.shape[0])
    )
    assert sum(float(alike[pair]) for pair in found) == pytest.approx(best, abs=1e-12)


def test_heads_in_another_order_are_found_again() -> None:
    order = torch.randperm(24, generator=torch.Generator().manual_seed(3))
    maps = drawn(4, 24, 50)
    alike = similarity(maps, maps[:, order]).mean(0)
    assert [int(order[other]) for _, other in match(alike)] == list(range(24))


def test_equal_similarities_are_no_trouble() -> None:
    assert len(match(torch.zeros(4, 4))) == 4


def test_shuffled_maps_keep_their_values_and_lose_their_places() -> None:
    maps = drawn(2, 3, 400)
    found = shuffled(maps, torch.Generator().manual_seed(0))
    assert torch.equal(found.sort(-1).values, maps.sort(-1).values)
    assert float(similarity(maps, found).abs().max()) < 0.25
    assert not torch.equal(found[0, 0].argsort(), found[0, 1].argsort())


def test_other_pictures_or_places_are_refused() -> None:
    with pytest.raises(BadInput, match=r"\(2, 3, 4\) with \(2, 3, 5\)"):
        similarity(drawn(2, 3, 4), drawn(2, 3, 5))
    with pytest.raises(BadInput, match="finite"):
        match(torch.tensor([[float("nan")]]))
    with pytest.raises(BadInput, match="finite"):
        match(torch.zeros(0, 3))

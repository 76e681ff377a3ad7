"""Entropy, reach and likeness of heads, against loops in float64 and by hand, attnviz/measures/heads.py."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.measures.heads import SAMPLE, Merge, Tree, apart, cluster, reach, sampled
from attnviz.tracing import Grid


def some(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape)).to(dtype)


def by_hand(query: Tensor, key: Tensor) -> list[list[list[float]]]:
    """Weights [head][query][key], number by number."""
    found = []
    for head in range(len(query)):
        rows = []
        for q in query[head].double().tolist():
            terms = [
                math.exp(sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)))
                for k in key[head].double().tolist()
            ]
            rows.append([term / sum(terms) for term in terms])
        found.append(rows)
    return found


GRIDS = {
    "pixels": Grid(5, 7),
    "pooled": Grid(4, 3, stride=2.0, field=2.0),
    "class token": Grid(3, 4, prefix=2, offset=(1.0, 0.5), stride=4.0, field=6.0),
    "more than a block of queries": Grid(12, 13),
    "more than a block, with a class token": Grid(12, 13, prefix=1),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_entropy_and_distance_equal_the_computation_by_hand(grid, dtype):
    query, key = 2 * some(2, grid.tokens, 3, dtype=dtype), some(2, grid.tokens, 3, seed=1, dtype=dtype)
    found = reach(query, key, grid)
    weights = by_hand(query, key)

    def centre(token: int) -> tuple[float, float]:
        top, left, bottom, right = grid.box(token)
        return (top + bottom) / 2, (left + right) / 2

    placed = range(grid.prefix, grid.tokens)
    away = {(q, k): math.dist(centre(q), centre(k)) for q in placed for k in placed}
    tolerance = 1e-9 if dtype == torch.float64 else 1e-4
    for head in range(2):
        entropies = [-sum(w * math.log2(w) for w in row) for row in weights[head]]
        distances = [
            sum(weights[head][q][k] * away[q, k] for k in placed) / sum(weights[head][q][k] for k in placed)
            for q in placed
        ]
        assert found.entropy[head] == pytest.approx(np.mean(entropies), rel=tolerance)
        assert found.entropy_share[head] == pytest.approx(np.mean(entropies) / math.log2(grid.tokens), rel=tolerance)
        assert found.distance[head] == pytest.approx(np.mean(distances), rel=tolerance)
    assert found.even_distance == pytest.approx(np.mean(list(away.values())), rel=1e-6)
    assert found.tokens == grid.tokens
    assert found.entropy.dtype == found.distance.dtype == np.float64


def test_even_shares_have_all_the_entropy_and_the_even_distance():
    found = reach(torch.zeros(2, 35, 3), some(2, 35, 3).float(), Grid(5, 7, stride=2.0))
    np.testing.assert_allclose(found.entropy, math.log2(35), rtol=1e-5)
    np.testing.assert_allclose(found.entropy_share, 1, rtol=1e-5)
    np.testing.assert_allclose(found.distance, found.even_distance, rtol=1e-5)


def test_a_head_that_looks_at_itself_reaches_nowhere_and_has_no_entropy():
    key = 1000 * torch.eye(6)[None]
    found = reach(key, key, Grid(2, 3))
    assert found.entropy.tolist() == found.entropy_share.tolist() == found.distance.tolist() == [0]


def test_distances_of_a_case_by_hand():
    """Three tokens in a row, 4 pixels apart: all look at the first one."""
    query, key = torch.ones(1, 3, 1), torch.tensor([[[0.0], [-1000], [-1000]]])
    found = reach(query, key, Grid(1, 3, stride=4.0, field=4.0))
    assert found.distance.tolist() == [4]  # the mean of 0, 4 and 8
    assert found.even_distance == pytest.approx(4 * 8 / 9)  # 0 1 2, 1 0 1, 2 1 0


def test_a_single_token_gives_numbers():
    found = reach(torch.ones(1, 1, 1), torch.ones(1, 1, 1), Grid(1, 1))
    assert (found.entropy.tolist(), found.entropy_share.tolist(), found.distance.tolist()) == ([0], [1], [0])


def test_huge_scores_give_numbers():
    found = reach(300 * some(1, 35, 1).float(), 300 * some(1, 35, 1, seed=1).float(), Grid(5, 7))
    assert np.isfinite([found.entropy, found.distance]).all()
    assert found.entropy[0] >= 0


def test_a_grid_of_another_size_is_refused():
    with pytest.raises(BadInput, match="has 6 tokens, but there are 7 queries and 7 keys"):
        reach(some(1, 7, 1), some(1, 7, 1), Grid(2, 3))


@pytest.mark.parametrize("count", [5, 12, 35, 1000])
def test_how_far_heads_are_apart_equals_the_computation_by_hand(count):
    query, key = 2 * some(3, 35, 4), some(3, 35, 4, seed=1)
    found = apart(query, key, count)
    weights = by_hand(query, key)
    chosen = sampled(35, count)
    assert len(chosen) == min(count, 35)
    for first in range(3):
        for second in range(3):
            divergences = []
            for q in chosen:
                p, r = weights[first][q], weights[second][q]
                middle = [(a + b) / 2 for a, b in zip(p, r, strict=True)]
                divergences.append(
                    sum(a * math.log2(a / m) / 2 for a, m in zip(p, middle, strict=True))
                    + sum(b * math.log2(b / m) / 2 for b, m in zip(r, middle, strict=True))
                )
            assert found[first, second] == pytest.approx(math.sqrt(np.mean(divergences)), rel=1e-6, abs=1e-7)


def test_equal_heads_are_not_apart_and_heads_without_a_key_in_common_are_1_apart():
    query, key = torch.ones(3, 4, 1), torch.full((3, 4, 1), -1000.0)
    key[0, 0] = key[1, 0] = key[2, 1] = 0
    assert apart(query, key).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.1, 1.0, 10.0, 1000.0]))
def test_how_far_heads_are_apart_is_a_bounded_metric(seed, scale):
    found = apart(scale * some(4, 10, 2, seed=seed).float(), some(4, 10, 2, seed=seed + 1).float())
    assert (found == found.T).all()
    assert (np.diag(found) == 0).all()
    assert (found >= 0).all() and (found <= 1).all()
    for middle in range(4):
        assert (found <= found[:, middle, None] + found[middle] + 1e-9).all()


def test_the_sample_of_queries_is_even_and_does_not_keep_to_few_columns():
    chosen = sampled(784)
    assert len(chosen) == SAMPLE == 64
    assert set(np.diff(chosen)) == {12, 13}
    assert (chosen[0], 783 - chosen[-1]) == (6, 6)
    assert len(set(chosen % 28)) == 16  # every twelfth one would stand in 7 columns only
    assert sampled(6, 3).tolist() == [1, 3, 5]
    assert sampled(5).tolist() == [0, 1, 2, 3, 4]


def test_no_queries_to_compare_are_refused():
    with pytest.raises(BadInput, match="at least one query, not 0"):
        apart(some(2, 5, 1), some(2, 5, 1), 0)


DISTANCES = np.array(
    [  # 0  1  2  3
        [0.0, 0.9, 0.2, 0.7],
        [0.9, 0.0, 0.8, 0.3],
        [0.2, 0.8, 0.0, 0.4],
        [0.7, 0.3, 0.4, 0.0],
    ]
)


def test_clusters_of_a_case_by_hand():
    """0 and 2 first, 1 and 3 next, then both at the mean of 0.9, 0.7, 0.8, 0.4; 2 and 3 are nearest, so they meet."""
    tree = cluster(DISTANCES)
    assert tree.merges[:2] == (Merge((0,), (2,), 0.2), Merge((1,), (3,), 0.3))
    assert (tree.merges[2].left, tree.merges[2].right) == ((0, 2), (3, 1))
    assert tree.merges[2].height == pytest.approx(0.7)
    assert tree.order == (0, 2, 3, 1)


def test_the_mean_between_groups_counts_every_pair_once():
    """0 and 1 merge, 2 joins them, then 3: at the mean of 10, 20 and 60, not of 15 and 60."""
    distances = np.zeros((4, 4))
    for first, second, value in [(0, 1, 1), (0, 2, 2), (1, 2, 4), (0, 3, 10), (1, 3, 20), (2, 3, 60)]:
        distances[first, second] = distances[second, first] = value
    tree = cluster(distances)
    assert [merge.height for merge in tree.merges] == [1, 3, 30]


def test_groups_at_a_threshold():
    tree = cluster(DISTANCES)
    assert tree.groups(0.1) == [(0,), (2,), (3,), (1,)]
    assert tree.groups(0.2) == [(0, 2), (3,), (1,)]
    assert tree.groups(0.5) == [(0, 2), (3, 1)]
    assert tree.groups(1.0) == [(0, 2, 3, 1)]


def linkage(distances: np.ndarray) -> list[tuple[frozenset[int], float]]:
    """Average linkage as it is defined: means over all pairs, from the original distances each time."""
    groups, found = [frozenset([head]) for head in range(len(distances))], []
    while len(groups) > 1:
        pairs = [(a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
        a, b = min(pairs, key=lambda pair: np.mean([distances[i, j] for i in pair[0] for j in pair[1]]))
        found.append((a | b, float(np.mean([distances[i, j] for i in a for j in b]))))
        groups = [group for group in groups if group not in (a, b)] + [a | b]
    return found


@settings(max_examples=30, deadline=None)
@given(heads=st.integers(1, 9), seed=st.integers(0, 10_000))
def test_clusters_equal_average_linkage_by_its_definition(heads, seed):
    upper = np.triu(np.random.default_rng(seed).random((heads, heads)), 1)
    distances = upper + upper.T
    tree = cluster(distances)
    expected = linkage(distances)
    assert [frozenset(merge.left + merge.right) for merge in tree.merges] == [group for group, _ in expected]
    np.testing.assert_allclose([merge.height for merge in tree.merges], [height for _, height in expected])
    assert sorted(tree.order) == list(range(heads))
    for merge in tree.merges:  # every group lies together
        places = sorted(tree.order.index(head) for head in merge.left + merge.right)
        assert places == list(range(places[0], places[0] + len(places)))
    assert (np.diff([merge.height for merge in tree.merges]) > -1e-12).all()


def test_one_head_is_a_tree():
    assert cluster(np.zeros((1, 1))) == Tree((), (0,))
    assert Tree((), (0,)).groups(0.5) == [(0,)]


def test_equal_distances_take_the_lowest_heads_first():
    tree = cluster(1 - np.eye(4))
    assert tree.order == (0, 1, 2, 3)


@pytest.mark.parametrize(
    "distances",
    [np.zeros((0, 0)), np.zeros((2, 3)), np.array([[0, 1], [2, 0.0]]), np.full((2, 2), np.nan), np.zeros(3)],
)
def test_what_are_no_distances_is_refused(distances):
    with pytest.raises(BadInput, match="must be symmetric numbers"):
        cluster(distances)

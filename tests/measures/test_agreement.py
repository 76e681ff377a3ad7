"""Rank correlation of maps, attnviz/measures/agreement.py, by hand and as scipy computes it."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from attnviz.errors import BadInput
from attnviz.measures.agreement import ROUNDING, by_chance, kendall, random_map, ranks


def test_by_hand():
    # Pairs of 1 2 3 4 against 1 3 2 4: five agree, one does not: (5 - 1) / 6.
    assert kendall(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])) == pytest.approx(4 / 6)
    assert kendall(np.array([1.0, 2, 3]), np.array([10.0, 20, 30])) == 1.0
    assert kendall(np.array([1.0, 2, 3]), np.array([3.0, 2, 1])) == -1.0


def test_ties_by_hand():
    # 1 1 2 against 1 2 3: two pairs agree, one is tied in the first: 2 / sqrt(2 x 3).
    assert kendall(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(2 / 6**0.5)


@pytest.mark.parametrize(("places", "values"), [(2, 2), (15, 4), (33, 100), (784, 5), (784, 10_000)])
def test_equals_scipy_with_few_ties_and_with_many(places, values):
    one, other = np.random.default_rng(places + values).integers(0, values, (2, 3, 4, places)).astype(float)
    expected = [
        [kendalltau(first, second).statistic for first, second in zip(*rows, strict=True)]
        for rows in zip(one, other, strict=True)
    ]
    np.testing.assert_allclose(kendall(one, other), expected, rtol=1e-12)


def test_only_the_order_counts():
    one, other = np.random.default_rng(1).random((2, 30))
    assert kendall(one, other) == kendall(np.exp(9 * one), other**3) == kendall(other, one)


def test_a_map_that_is_the_same_everywhere_ranks_nothing():
    found = kendall(np.array([[1.0, 1, 1], [1, 2, 2]]), np.array([[1.0, 2, 3], [5, 7, 7]]))
    assert np.isnan(found[0]) and found[1] == 1.0


def test_random_maps_agree_by_chance_alone():
    one, other = (
        np.stack([random_map((14, 14), seed=start + seed).ravel() for seed in range(30)]) for start in (0, 100)
    )
    found = kendall(one, other)
    spread = (2 * (2 * 196 + 5) / (9 * 196 * 195)) ** 0.5  # of tau under chance
    assert abs(np.mean(found)) < 4 * spread / 30**0.5
    assert 0.5 * spread < np.std(found) < 1.5 * spread
    assert (random_map((4, 4), seed=3) == random_map((4, 4), seed=3)).all()


@pytest.mark.parametrize(("one", "other"), [(np.ones(4), np.ones(3)), (np.ones(4), np.ones((2, 2))), (np.ones(1),) * 2])
def test_maps_of_other_places_are_refused(one, other):
    with pytest.raises(BadInput, match="Maps of the same places"):
        kendall(one, other)


def test_by_chance_is_the_correlation_with_each_random_map():
    of = np.arange(36.0).reshape(6, 6)
    found = by_chance(of, draws=3, seed=5)
    expected = [kendalltau(of, random_map((6, 6), seed=seed)).statistic for seed in (5, 6, 7)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.isnan(by_chance(np.ones((6, 6)), draws=2, seed=0)).all()


def test_what_differs_by_rounding_has_no_order():
    near = np.array([1.0, 1 + 1e-7, 2, 1 - 1e-7])
    assert kendall(near, np.array([1.0, 1, 2, 1]), equal=ROUNDING) == 1.0
    assert kendall(near, np.array([1.0, 1, 2, 1])) < 1
    assert np.isnan(kendall(1 + 1e-7 * np.arange(4.0), np.arange(4.0), equal=ROUNDING))
    beside = np.array([[1e6, 0, 1, 2], [1, 0, 1, 2]])  # what is rounding is measured within each map
    assert kendall(beside, np.array([[9.0, 0, 0, 0], [1, 0, 1, 2]]), equal=ROUNDING).tolist() == [1.0, 1.0]


def test_ranks_by_hand():
    assert ranks(np.array([[3.0, 1], [1, 9]])).tolist() == [[2 / 3, 1 / 6], [1 / 6, 1]]
    assert ranks(np.array([1.0, 1 + 1e-7, 2]), equal=ROUNDING).tolist() == [0.25, 0.25, 1]
    assert ranks(np.ones(5)).tolist() == [0.5] * 5
    one, other = np.random.default_rng(2).random((2, 40))
    assert kendall(one, other) == kendall(ranks(one), ranks(other))
    tied = np.random.default_rng(3).integers(0, 9, (6, 7)).astype(float)
    np.testing.assert_allclose(ranks(tied).ravel(), (rankdata(tied) - 1) / 41, rtol=1e-12)

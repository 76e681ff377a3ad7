"""Rank correlation of maps, attnviz/measures/agreement.py, by hand and pair by pair."""

import numpy as np
import pytest

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


def test_every_pair_counts_once_also_beyond_one_block():
    chance = np.random.default_rng(0)
    one, other = chance.integers(0, 50, 700).astype(float), chance.integers(0, 50, 700).astype(float)
    counts = {"same": 0, "other": 0, "first": 0, "second": 0}
    for i in range(700):
        for j in range(i):
            a, b = np.sign(one[i] - one[j]), np.sign(other[i] - other[j])
            counts["same"] += a * b > 0
            counts["other"] += a * b < 0
            counts["first"] += a != 0
            counts["second"] += b != 0
    expected = (counts["same"] - counts["other"]) / (counts["first"] * counts["second"]) ** 0.5
    assert kendall(one.reshape(28, 25), other.reshape(28, 25)) == pytest.approx(expected, rel=1e-12)


def test_only_the_order_counts():
    one, other = np.random.default_rng(1).random((2, 6, 5))
    assert kendall(one, other) == kendall(np.exp(9 * one), other**3) == kendall(other, one)


def test_a_map_that_is_the_same_everywhere_ranks_nothing():
    assert kendall(np.ones((3, 3)), np.arange(9.0).reshape(3, 3)) is None


def test_random_maps_agree_by_chance_alone():
    found = [kendall(random_map((14, 14), seed=seed), random_map((14, 14), seed=seed + 100)) for seed in range(30)]
    spread = (2 * (2 * 196 + 5) / (9 * 196 * 195)) ** 0.5  # of tau under chance
    assert abs(np.mean(found)) < 4 * spread / 30**0.5
    assert 0.5 * spread < np.std(found) < 1.5 * spread
    assert (random_map((4, 4), seed=3) == random_map((4, 4), seed=3)).all()


@pytest.mark.parametrize("other", [np.ones(3), np.ones((2, 2))])
def test_maps_of_other_places_are_refused(other):
    with pytest.raises(BadInput, match="Maps of the same places"):
        kendall(np.ones(4), other)


def test_by_chance_is_the_correlation_with_each_random_map():
    of = np.arange(36.0).reshape(6, 6)
    found = by_chance(of, draws=3, seed=5)
    assert found.tolist() == [kendall(of, random_map((6, 6), seed=seed)) for seed in (5, 6, 7)]
    assert np.isnan(by_chance(np.ones((6, 6)), draws=2, seed=0)).all()


def test_what_differs_by_rounding_has_no_order():
    near = np.array([1.0, 1 + 1e-7, 2, 1 - 1e-7])
    assert kendall(near, np.array([1.0, 1, 2, 1]), equal=ROUNDING) == 1.0
    assert kendall(near, np.array([1.0, 1, 2, 1])) < 1
    assert kendall(1 + 1e-7 * np.arange(4.0), np.arange(4.0), equal=ROUNDING) is None


def test_ranks_by_hand():
    assert ranks(np.array([[3.0, 1], [1, 9]])).tolist() == [[2 / 3, 1 / 6], [1 / 6, 1]]
    assert ranks(np.array([1.0, 1 + 1e-7, 2]), equal=ROUNDING).tolist() == [0.25, 0.25, 1]
    assert ranks(np.ones(5)).tolist() == [0.5] * 5
    one, other = np.random.default_rng(2).random((2, 40))
    assert kendall(one, other) == kendall(ranks(one), ranks(other))

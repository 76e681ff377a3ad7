"""A difference over trainings and pictures: against tables of Student's t, hand-worked numbers and drawn trainings."""

import math

import numpy as np
import pytest

from attnviz.measures.difference import Trainings, difference, most_variance, student


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (8, 2.30600), (30, 2.04227), (120, 1.97993),
        (1e6, 1.95997),
    ],
)  # fmt: skip
def test_the_quantiles_are_those_of_the_printed_tables(freedom: float, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, rel=1e-5)


def test_without_a_variance_over_pictures_it_is_welchs_interval() -> None:
    one, other = [0.91, 0.93, 0.95], [0.90, 0.91, 0.92, 0.91, 0.91]
    first_side, second_side = (
        Trainings(float(np.mean(side)), float(np.var(side, ddof=1)), len(side)) for side in (one, other)
    )
    found = difference(first_side, second_side, pictures=0.0, count=1000)
    first, second = 4e-4 / 3, 5e-5 / 5  # variances of the means: worked by hand
    freedom = (first + second) ** 2 / (first**2 / 2 + second**2 / 4)
    half = student(freedom) * math.sqrt(first + second)
    assert found.value == pytest.approx(0.02)
    assert found.interval == pytest.approx((0.02 - half, 0.02 + half))
    assert found.seeds == (3, 5)


def test_trainings_that_agree_leave_the_variance_over_pictures() -> None:
    found = difference(Trainings(0.9, 0.0, 5), Trainings(0.88, 0.0, 5), pictures=1e-4, count=10_000)
    assert found.interval == pytest.approx((0.02 - 1.9602 * 0.01, 0.02 + 1.9602 * 0.01), abs=1e-6)
    assert found.verdict == "better"


@pytest.mark.parametrize(
    ("means", "verdict"), [((0.9, 0.8), "better"), ((0.8, 0.9), "worse"), ((0.9, 0.899), "no difference")]
)
def test_the_interval_decides(means: tuple[float, float], verdict: str) -> None:
    one, other = (Trainings(mean, 1e-4, 5) for mean in means)
    found = difference(one, other, pictures=1e-6, count=1000)
    assert found.interval is not None
    low, high = found.interval
    assert found.verdict == verdict == ("better" if low > 0 else "worse" if high < 0 else "no difference")


@pytest.mark.parametrize("seeds", [(1, 5), (5, 1), (1, 1)])
def test_a_single_training_says_nothing_of_the_spread(seeds: tuple[int, int]) -> None:
    one, other = (Trainings(mean, 0.0, count) for mean, count in zip((0.9, 0.5), seeds, strict=True))
    found = difference(one, other, pictures=1e-6, count=1000)
    assert (found.interval, found.verdict, found.seeds) == (None, "one seed", seeds)
    assert found.value == pytest.approx(0.4)


def test_equal_answers_of_all_trainings_are_no_difference() -> None:
    found = difference(Trainings(0.5, 0.0, 3), Trainings(0.5, 0.0, 3), pictures=0.0, count=10)
    assert (found.interval, found.verdict) == ((0, 0), "no difference")


@pytest.mark.parametrize("values", [[0.1, 0.9], [0.2, 0.2, 0.5], [0.1, 0.4, 0.5, 0.9, 0.9]])
def test_no_values_vary_more_than_their_range_and_mean_allow(values: list[float]) -> None:
    most = most_variance(float(np.mean(values)), min(values), max(values), len(values))
    assert most >= np.var(values, ddof=1) - 1e-12
    ends = [value in (min(values), max(values)) for value in values]
    assert all(ends) == (most == pytest.approx(np.var(values, ddof=1))), "reached where all lie at the two ends"
    assert most_variance(0.5, 0.5, 0.5, 1) == 0


@pytest.mark.parametrize(("seeds", "spread"), [((5, 5), 1.0), ((3, 5), 2.0), ((3, 3), 0.3)])
def test_about_95_intervals_of_100_hold_the_true_difference(seeds: tuple[int, int], spread: float) -> None:
    random, pictures, held, rounds = np.random.default_rng(0), 400, 0, 1000
    true = math.erf(0.3 / math.sqrt(2 + spread**2) / math.sqrt(2)) / 2  # how much more often the one is right
    for _ in range(rounds):
        hard = random.normal(size=pictures)  # of each picture, for all models
        right = [
            np.stack([hard + random.normal(size=pictures) < skill + spread * random.normal() for _ in range(count)])
            for skill, count in zip((0.3, 0.0), seeds, strict=True)
        ]
        one, other = (Trainings(float(its.mean()), float(its.mean(1).var(ddof=1)), len(its)) for its in right)
        apart = right[0][0].astype(float) - right[1][0]
        found = difference(one, other, pictures=apart.var(ddof=1) / pictures, count=pictures)
        assert found.interval is not None
        held += found.interval[0] <= true <= found.interval[1]
    assert 0.93 < held / rounds < 0.985

"""A difference over trainings and pictures: against scipy, statsmodels, hand-worked numbers and drawn trainings."""

import math

import numpy as np
import pytest
from scipy import stats

from attnviz.measures.difference import Difference, difference, holm, margin, student, together


def answers(seeds: int, pictures: int, skill: float = 1.0, spread: float = 0.2, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    hard = np.random.default_rng(99).normal(size=pictures)
    own = skill + spread * random.normal(size=(seeds, 1))
    return (own + hard + random.normal(size=(seeds, pictures)) > 0).astype(float)


def ends(found: Difference) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3, 4, 8, 30, 120, 1e6])
def test_the_quantiles_are_those_of_scipy(freedom: float) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-5)


def test_where_pictures_do_not_vary_it_is_welchs_interval() -> None:
    one, other = [0.91, 0.93, 0.95], [0.90, 0.91, 0.92, 0.91, 0.91]
    found = difference(*(np.repeat(np.array(side)[:, None], 40, 1) for side in (one, other)))
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert ends(found) == pytest.approx(tuple(welch.confidence_interval()))
    assert found.chance == pytest.approx(welch.pvalue)
    assert (found.value, found.seeds) == (pytest.approx(0.02), (3, 5))


def test_where_trainings_do_not_vary_it_is_the_t_interval_over_pictures() -> None:
    one, other = (np.repeat(answers(1, 500, seed=seed), 3, 0) for seed in (1, 2))
    pairs = stats.ttest_rel(one[0], other[0])
    assert ends(difference(one, other)) == pytest.approx(tuple(pairs.confidence_interval()))
    assert difference(one, other).chance == pytest.approx(pairs.pvalue)
    apart = difference(one, other, same=False)
    variance = one[0].var(ddof=1) / 500 + other[0].var(ddof=1) / 500
    assert (ends(apart)[1] - ends(apart)[0]) / 2 == pytest.approx(1.962 * math.sqrt(variance), rel=1e-3)


def test_of_a_model_beside_itself_it_is_the_two_way_analysis_of_variance() -> None:
    import pandas
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    seeds, pictures = 4, 30
    apart = np.random.default_rng(3).normal(size=(seeds, pictures)) + np.linspace(0, 0.5, seeds)[:, None]
    zero = np.zeros_like(apart)
    rows = [(apart[s, i], s, i) for s in range(seeds) for i in range(pictures)]
    table = anova_lm(ols("y ~ C(seed) + C(picture)", pandas.DataFrame(rows, columns=["y", "seed", "picture"])).fit())
    of_seeds, of_pictures, left = table["sum_sq"] / table["df"]
    assert of_seeds > left, "else the seeds vary no more than the pictures explain"
    parts = [of_seeds, of_pictures, -left]
    variance = sum(parts) / (seeds * pictures)
    freedom = sum(parts) ** 2 / sum(part**2 / degrees for part, degrees in zip(parts, table["df"], strict=True))
    found = difference(apart, zero, paired=True)
    freedom = max(freedom, seeds - 1)  # what is subtracted takes none away from those of the seeds
    half = stats.t.ppf(0.975, freedom) * math.sqrt(variance)
    assert ends(found) == pytest.approx((apart.mean() - half, apart.mean() + half), rel=1e-5)
    assert found.chance == pytest.approx(2 * stats.t.sf(abs(apart.mean()) / math.sqrt(variance), freedom), rel=1e-4)


def test_what_seeds_and_pictures_both_hold_counts_once() -> None:
    """Worked by hand: V / S + W / N - R / (S N) for either side, from answers that differ in all three."""
    one, other = answers(3, 200, 1.0, 0.5, seed=4), answers(5, 200, 0.6, 0.5, seed=5)
    total = (one.mean(0) - other.mean(0)).var(ddof=1) / 200
    for side in (one, other):
        left = side - side.mean(0) - side.mean(1)[:, None] + side.mean()
        total += side.mean(1).var(ddof=1) / len(side)
        total -= (left**2).sum() / (len(side) - 1) / 199 / len(side) / 200
    found = difference(one, other)
    half = (ends(found)[1] - ends(found)[0]) / 2
    assert 1.96 * math.sqrt(total) < half < 3.2 * math.sqrt(total)
    assert found.chance is not None
    freedom = next(f for f in np.arange(1, 400, 0.01) if stats.t.ppf(0.975, f) * math.sqrt(total) <= half)
    assert found.chance == pytest.approx(2 * stats.t.sf(abs(found.value) / math.sqrt(total), freedom), rel=0.01)


def test_a_pairing_of_trainings_narrows_the_interval() -> None:
    one = answers(4, 300, 1.0, 0.8)
    other = np.where(np.arange(300) % 50 == 0, 0.0, one)  # the same answers but for a few pictures
    alone, paired = difference(one, other), difference(one, other, paired=True)
    assert alone.value == paired.value
    assert ends(paired)[1] - ends(paired)[0] < (ends(alone)[1] - ends(alone)[0]) / 3


@pytest.mark.parametrize("seeds", [(1, 5), (5, 1), (1, 1)])
def test_a_single_training_says_nothing_of_the_spread(seeds: tuple[int, int]) -> None:
    found = difference(answers(seeds[0], 100, 2.0), answers(seeds[1], 100, 0.0))
    assert (found.interval, found.chance, found.verdict, found.seeds) == (None, None, "not decided", seeds)
    assert found.missing == "one seed" and found.value > 0.1


def test_equal_answers_of_all_trainings_are_within_any_margin() -> None:
    same = np.repeat(answers(1, 100), 3, 0)
    found = difference(same, same)
    assert (found.interval, found.chance, found.verdict) == ((0, 0), 1, "within the margin")


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.001, 0.02), "better"),
        ((-0.02, -0.001), "worse"),
        ((-0.002, 0.004), "within the margin"),
        ((-0.002, 0.006), "not decided"),
        (None, "not decided"),
    ],
)
def test_the_interval_decides(interval: tuple[float, float] | None, verdict: str) -> None:
    assert Difference(0.001, interval, (3, 3), 0.005).verdict == verdict


def test_the_margin_is_a_tenth_of_the_errors_but_no_more_than_half_a_point() -> None:
    assert margin(0.996, 0.9958) == pytest.approx(0.00041)
    assert margin(0.9, 0.7) == 0.005


def test_holms_correction_is_that_of_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    chances = [0.01, 0.04, 0.03, 0.005, 0.7]
    assert holm(chances) == pytest.approx(multipletests(chances, method="holm")[1])
    assert holm([]) == []


def test_of_several_comparisons_each_must_hold_beside_the_others() -> None:
    sure = Difference(0.02, (0.01, 0.03), (3, 3), 0.005, 0.001)
    alone = Difference(0.004, (0.0001, 0.0079), (3, 3), 0.005, 0.04)
    small = Difference(0.002, (0.0001, 0.0039), (3, 3), 0.005, 0.045)
    none = Difference(0.02, None, (1, 3), 0.005, missing="one seed")
    assert together([sure, alone, small, none]) == ["better", "not decided", "within the margin", "not decided"]
    assert together([alone, none]) == ["better", "not decided"]


def covered(seeds: tuple[int, int], pictures: int, spread: float, rounds: int) -> float:
    """Return how many of the intervals of drawn trainings hold the true difference."""
    random, skills, hard, held = np.random.default_rng(7), (1.9, 1.7), 1.5, 0
    true = np.subtract(*(stats.norm.cdf(skill / math.sqrt(1 + hard**2 + spread**2)) for skill in skills))
    for _ in range(rounds):
        of_picture = hard * random.standard_normal(pictures, dtype=np.float32)
        sides = [
            skill
            + spread * random.standard_normal((count, 1), dtype=np.float32)
            + of_picture
            + random.standard_normal((count, pictures), dtype=np.float32)
            > 0
            for skill, count in zip(skills, seeds, strict=True)
        ]
        low, high = ends(difference(*(side.astype(float) for side in sides)))
        held += low <= true <= high
    return held / rounds


def test_about_95_intervals_of_100_hold_the_true_difference() -> None:
    assert 0.93 < covered((3, 5), 400, 0.05, 500) < 0.985


@pytest.mark.slow
@pytest.mark.parametrize("pictures", [1_000, 10_000])
@pytest.mark.parametrize("spread", [0.02, 0.1])  # about 0.3 and 1.5 points between the trainings
@pytest.mark.parametrize("seeds", [(2, 2), (3, 3), (3, 5), (5, 5)])
def test_between_93_and_97_intervals_of_100_hold_the_true_difference(
    seeds: tuple[int, int], spread: float, pictures: int
) -> None:
    rounds = 1000
    error = math.sqrt(0.97 * 0.03 / rounds)  # of the simulation itself
    assert 0.93 - 2 * error < covered(seeds, pictures, spread, rounds) < 0.97 + 2 * error

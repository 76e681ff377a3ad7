"""How much more accurate one model is than another, over their trainings and over the pictures they were tested on.

An accuracy varies for two reasons: another training gives another one, and so do other test pictures. The interval of
a difference between two means over trainings holds both. It is Welch's t interval over the trainings of each side, as
their numbers may differ, with the variance over pictures as a third part: the variances add up, and Satterthwaite's
formula gives the degrees of freedom of the sum. The variance over pictures is that of one training on each side, which
is somewhat more than that of the means.

A model beside itself with a part replaced has the same trainings on both sides. Then the differences of the trainings,
one by one, take the place of the two sides: what a training has in common with itself does not count.

Source: Welch, "The generalization of Student's problem when several different population variances are involved", 1947;
Satterthwaite, "An approximate distribution of estimates of variance components", 1946.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

METHOD = "Welch's t over the seeds of both sides, plus the variance over the test pictures"
METHOD_OF_ITSELF = "Student's t over the differences seed by seed, plus the variance over the test pictures"
"""Where a model stands beside itself with a part of it replaced."""
Verdict = Literal["better", "worse", "no difference", "one seed"]


@dataclass(frozen=True)
class Trainings:
    """What the trainings of a model gave.

    Args:
        mean: of a figure over the trainings.
        variance: between them, with one less than their number in the denominator; 0 for one.
        seeds: how many trainings.
    """

    mean: float
    variance: float
    seeds: int


@dataclass(frozen=True)
class Difference:
    """How much higher one mean over trainings is than another.

    Args:
        value: the difference of the means.
        interval: the ends of its 95 % interval; None where one side was trained once, as nothing is known of its
            spread.
        seeds: of the one, and of the other.
    """

    value: float
    interval: tuple[float, float] | None
    seeds: tuple[int, int]

    @property
    def verdict(self) -> Verdict:
        """Whether the one is better, if higher is better: "no difference" where the interval holds 0."""
        if self.interval is None:
            return "one seed"
        low, high = self.interval
        return "better" if low > 0 else "worse" if high < 0 else "no difference"


def difference(
    one: Trainings, other: Trainings, pictures: float, count: int, paired: float | None = None
) -> Difference:
    """Compare two models over their trainings and the test pictures.

    Args:
        one, other: what their trainings gave on the test pictures.
        pictures: the variance of the difference over the choice of test pictures, of one training on each side.
        count: how many test pictures there are, at least two.
        paired: the variance of the difference between the trainings, where those of the one are those of the other,
            with one less than their number in the denominator; None where the two sides were trained independently.

    Returns:
        `one` less `other`.
    """
    value, seeds = one.mean - other.mean, (one.seeds, other.seeds)
    if min(seeds) < 2:
        return Difference(value, None, seeds)
    if paired is None:
        trainings = [(side.variance / side.seeds, side.seeds - 1) for side in (one, other)]
    else:
        trainings = [(paired / one.seeds, one.seeds - 1)]
    parts = [*trainings, (pictures, count - 1)]
    total = sum(part for part, _ in parts)
    if total == 0:
        return Difference(value, (value, value), seeds)
    freedom = total**2 / sum(part**2 / degrees for part, degrees in parts)
    half = student(freedom) * math.sqrt(total)
    return Difference(value, (value - half, value + half), seeds)


def most_variance(mean: float, lowest: float, highest: float, seeds: int) -> float:
    """Return the largest variance that so many values can have, if only their mean, lowest and highest are known.

    Args:
        mean, lowest, highest: of the values.
        seeds: how many there are.

    Returns:
        The variance, with one less than their number in the denominator; 0 for a single value.

    Source: Bhatia and Davis, "A better bound on the variance", 2000.
    """
    return 0.0 if seeds < 2 else max(0.0, (highest - mean) * (mean - lowest)) * seeds / (seeds - 1)


@lru_cache(maxsize=4096)
def student(freedom: float) -> float:
    """Return how many standard errors on either side of a mean hold 95 % of Student's t distribution.

    Args:
        freedom: degrees of freedom, not necessarily a whole number, at least 1.

    Returns:
        The 0.975 quantile: 12.706 for 1, 1.960 for very many; to six digits.
    """
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    low, high = 1.9, 13.0
    for _ in range(40):
        middle = (low + high) / 2
        places = np.linspace(0, middle, 2001)
        density = np.exp(constant - (freedom + 1) / 2 * np.log1p(places**2 / freedom))
        held = (density[0] + density[-1] + 4 * density[1::2].sum() + 2 * density[2:-1:2].sum()) * middle / 6000
        low, high = (middle, high) if held < 0.475 else (low, middle)  # Simpson's rule, one half of the distribution
    return (low + high) / 2

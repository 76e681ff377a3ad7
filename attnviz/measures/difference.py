"""How much more accurate one model is than another, over their trainings and over the pictures they were tested on.

An accuracy varies for two reasons: another training gives another one, and so do other test pictures. Every training
answers every picture, so the answers (seed, picture) of a model are a crossed design with two random effects, and each
answer varies by three parts: that of its seed, that of its picture, and what is particular to the two together. The
variance of a difference between means is read off a two-way analysis of variance without replication:

    variance = V_one / S_one + V_other / S_other + W / N - R_one / (S_one N) - R_other / (S_other N)

V is the variance of the means of the S seeds, W that of the N pictures' differences between the two means over seeds,
and R the mean square of the residuals. V and W both contain the residuals, which is why R is subtracted.
Satterthwaite's formula gives the degrees of freedom of the sum, with which Student's t makes the interval. Where the
sum is below W / N, seeds vary no more than pictures explain, and W / N with N - 1 degrees of freedom takes its place.
In simulations 93 to 97 of 100 intervals hold the true difference; 90 where two seeds on a side vary ten times as much
as those of the other.

A model beside itself with a part replaced has the same trainings on both sides. Then the differences of the answers are
one such design, and what a training has in common with itself does not count.

Source: Cornfield and Tukey, "Average values of mean squares in factorials", 1956; Satterthwaite, "An approximate
distribution of estimates of variance components", 1946. Readers and cases instead of seeds and pictures: Obuchowski and
Rockette, "Hypothesis testing of diagnostic accuracy for multiple readers and multiple tests", 1995. Several comparisons
at once: Holm, "A simple sequentially rejective multiple test procedure", 1979.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.errors import BadInput

METHOD = (
    "crossed random effects of seeds and pictures (two-way analysis of variance), Student's t with Satterthwaite's \
degrees of freedom"
)
NEGLIGIBLE = 0.005
"""Half a point: the widest margin."""

OF_THE_ERRORS = 0.1
"""The margin is this share of the errors, where that is less than half a point."""

LEVEL = 0.05
Verdict = Literal["better", "worse", "within the margin", "not decided"]
Answers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """How much higher one mean over trainings is than another.

    Args:
        value: the difference of the means.
        interval: the ends of its 95 % interval; None where what it takes is not known.
        seeds: of the one, and of the other.
        margin: how large a difference counts for nothing, see `margin`.
        chance: the probability of a difference that is as far from 0, if there is none; None without an interval.
        missing: what there is no interval for lack of, in words: "one seed", "no answers of each seed".
    """

    value: float
    interval: tuple[float, float] | None
    seeds: tuple[int, int]
    margin: float = 0.0
    chance: float | None = None
    missing: str = ""

    @property
    def verdict(self) -> Verdict:
        """Which is better, if higher is better, or whether the difference is surely small.

        "better" or "worse" where the interval does not contain 0, else "within the margin" where all of it lies within
        the margin. That an interval contains 0 alone decides nothing: it may be wide.

        Source: the confidence interval inclusion rule, as in Westlake, "Symmetrical confidence intervals for
            bioequivalence trials", 1976; with 95 % instead of 90 %, which asks for more.
        """
        if self.interval is None:
            return "not decided"
        low, high = self.interval
        return "better" if low > 0 else "worse" if high < 0 else self._small()

    def _small(self) -> Verdict:
        assert self.interval is not None
        return "within the margin" if max(map(abs, self.interval)) <= self.margin else "not decided"


def difference(one: Answers, other: Answers, *, same: bool = True, paired: bool = False) -> Difference:
    """Compare two models over their trainings and the test pictures.

    Args:
        one, other: (seed, picture), the share of right answers that each training gave to each picture, 0..1; at least
            two pictures.
        same: the pictures of the one are those of the other, in the same order.
        paired: the trainings of the one are those of the other, in the same order, and so are the pictures.

    Returns:
        `one` less `other`; without an interval where one of them was trained once, as nothing is known of its spread.
    """
    value, seeds = float(one.mean() - other.mean()), (len(one), len(other))
    small = margin(float(one.mean()), float(other.mean()))
    if min(seeds) < 2:
        return Difference(value, None, seeds, small, missing="one seed")
    sides = [one - other] if paired else [one, other]
    trainings = [(float(side.mean(1).var(ddof=1)) / len(side), len(side) - 1.0) for side in sides]
    doubled = [_residuals(side) for side in sides]
    over = [one.mean(0) - other.mean(0)] if same or paired else [one.mean(0), other.mean(0)]
    pictures = [(float(part.var(ddof=1)) / len(part), len(part) - 1.0) for part in over]
    of_pictures = sum(part for part, _ in pictures)
    variance = sum(part for part, _ in trainings) + of_pictures - sum(part for part, _ in doubled)
    if max(variance, of_pictures) == 0:
        return Difference(value, (value, value), seeds, small, float(value == 0))
    parts = [*trainings, *pictures, *doubled]
    if variance <= of_pictures:  # the seeds vary no more than the pictures explain
        variance, parts = of_pictures, pictures
    freedom = variance**2 / sum(part**2 / degrees for part, degrees in parts)
    freedom = max(freedom, min(degrees for _, degrees in trainings))  # what is subtracted takes none away
    half = student(freedom) * math.sqrt(variance)
    chance = max(0.0, 1 - 2 * _held(abs(value) / math.sqrt(variance), freedom))
    return Difference(value, (value - half, value + half), seeds, small, chance)


def margin(one: float, other: float) -> float:
    """Return how large a difference of two accuracies, 0..1, counts for nothing: a tenth of the mean error, at most
    0.005.
    """
    return min(NEGLIGIBLE, OF_THE_ERRORS * (1 - (one + other) / 2))


def together(found: Sequence[Difference]) -> list[Verdict]:
    """Return the verdicts of comparisons that stand in one table, corrected for their number after Holm.

    Args:
        found: the comparisons; those without an interval do not count.

    Returns:
        For each, "better" and "worse" only where it holds at 5 % for all of them together. "within the margin" needs no
        correction, as it is not claimed that there is a difference.
    """
    told = [one.chance for one in found if one.chance is not None]
    adjusted = iter(holm(told))
    chances = [None if one.chance is None else next(adjusted) for one in found]
    return [
        one.verdict if chance is None or chance <= LEVEL or one.verdict not in ("better", "worse") else one._small()
        for one, chance in zip(found, chances, strict=True)
    ]


def holm(chances: Sequence[float]) -> list[float]:
    """Return probabilities, 0..1 and in the same order, corrected for their number such that all that stay below 5 % do
    so together; none becomes smaller.
    """
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = least
    return adjusted


@lru_cache(maxsize=4096)
def student(freedom: float) -> float:
    """Return how many standard errors on either side of a mean hold 95 % of Student's t distribution, to six digits:
    its 0.975 quantile, 12.706 for one degree of freedom, 1.960 for very many. `freedom`, at least 1, need not be whole.
    """
    low, high = 1.9, 13.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _held(middle, freedom) < 0.475 else (low, middle)
    return (low + high) / 2


def _held(value: float, freedom: float) -> float:
    """Return the share of Student's t between 0 and a value: Simpson's rule over sinh, as the tails are long."""
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    end = math.asinh(value)
    places = np.linspace(0, end, 2001)
    density = np.exp(constant - (freedom + 1) / 2 * np.log1p(np.sinh(places) ** 2 / freedom)) * np.cosh(places)
    return float((density[0] + density[-1] + 4 * density[1:-1:2].sum() + 2 * density[2:-2:2].sum()) * end / 6000)


def _residuals(side: Answers) -> tuple[float, float]:
    """Return what the variances over seeds and over pictures both contain, with its degrees of freedom."""
    left = side - side.mean(1, keepdims=True) - side.mean(0) + side.mean()
    freedom = (side.shape[0] - 1.0) * (side.shape[1] - 1.0)
    return float((left**2).sum()) / freedom / side.size, freedom


@dataclass(frozen=True, eq=False)
class Paired:
    """How much one number is above another, over pictures.

    Args:
        mean: of the differences.
        low, high: the ends of its 95 % interval, from the standard error over pictures, with Student's t.
        below: share of the pictures whose difference is below 0; 0..1.
    """

    mean: Floats
    low: Floats
    high: Floats
    below: Floats

    @property
    def verdicts(self) -> npt.NDArray[np.int64]:
        """1 where the interval lies above 0, -1 where below, 0 where it holds 0."""
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, 0))


def paired(one: Floats, other: Floats) -> Paired:
    """Compare two numbers (picture, ...) picture by picture: the difference `one` less `other`, of shape (...).

    Source: Student, "The probable error of a mean", 1908.
    """
    if one.shape != other.shape or len(one) < 2:
        raise BadInput(f"A comparison needs the same pictures, at least two, not {one.shape} and {other.shape}.")
    difference = one - other
    mean, error = difference.mean(0), difference.std(0, ddof=1) / np.sqrt(len(difference))
    half = student(len(difference) - 1) * error
    return Paired(mean, mean - half, mean + half, (difference < 0).mean(0))

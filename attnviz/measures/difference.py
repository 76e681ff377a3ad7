"""How much more accurate one model is than another, over trainings and over test pictures.

An accuracy varies with the training and with the test pictures. Every training answers every picture, so the answers
(seed, picture) of a model form a crossed design with two random effects, and the variance of an answer has three parts:
one for the seed, one for the picture, and one for their combination. The variance of a difference between means follows
from a two-way analysis of variance without replication:

    variance = V_one / S_one + V_other / S_other + W / N - R_one / (S_one N) - R_other / (S_other N)

V is the variance of the means of the S seeds, W the variance over the N pictures of the difference between the two
means over seeds, and R the mean square of the residuals. Both V and W contain the residuals, so R is subtracted.
Satterthwaite's formula gives the degrees of freedom of the sum for Student's t. If the sum is below W / N, seeds vary
no more than pictures explain, and W / N with N - 1 degrees of freedom replaces it. In simulations 93 to 97 of 100
intervals contain the true difference, or 90 if two seeds on one side vary ten times as much as those on the other.

If a model is compared with itself with a part replaced, both sides have the same trainings. The differences of the
answers then form one such design, in which the variance shared by both sides cancels.

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
"""Half a percentage point: the largest margin."""

OF_THE_ERRORS = 0.1
"""The margin is this share of the errors, if that is less than half a percentage point."""

LEVEL = 0.05
Verdict = Literal["better", "worse", "within the margin", "not decided"]
Answers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """The difference between two means over trainings.

    Args:
        value: the difference of the means.
        interval: limits of its 95 % confidence interval; None if it cannot be computed.
        seeds: number of seeds of the first and of the second model.
        margin: the largest difference that counts as negligible, see `margin`.
        chance: p-value: the probability of a difference this far from 0 if there is none; None without an interval.
        missing: why there is no interval, in words: "one seed", "no answers of each seed".
    """

    value: float
    interval: tuple[float, float] | None
    seeds: tuple[int, int]
    margin: float = 0.0
    chance: float | None = None
    missing: str = ""

    @property
    def verdict(self) -> Verdict:
        """Which side is better, if higher is better, or whether the difference is certainly small.

        "better" or "worse" if the interval does not contain 0, otherwise "within the margin" if it lies entirely within
        the margin. An interval that contains 0 alone decides nothing, because it may be wide.

        Source: the confidence interval inclusion rule, as in Westlake, "Symmetrical confidence intervals for
            bioequivalence trials", 1976, with 95 % instead of 90 %, which is stricter.
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
        one, other: (seed, picture), share of correct answers per training and picture, 0..1; at least two pictures.
        same: whether both were tested on the same pictures, in the same order.
        paired: whether both have the same trainings in the same order, and the same pictures.

    Returns:
        `one` minus `other`; without an interval if one of them was trained only once, since its spread is then unknown.
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
    freedom = max(freedom, min(degrees for _, degrees in trainings))  # subtracted terms do not reduce it
    half = student(freedom) * math.sqrt(variance)
    chance = max(0.0, 1 - 2 * _held(abs(value) / math.sqrt(variance), freedom))
    return Difference(value, (value - half, value + half), seeds, small, chance)


def margin(one: float, other: float) -> float:
    """Return the largest negligible difference between two accuracies, 0..1: a tenth of the mean error, up to 0.005."""
    return min(NEGLIGIBLE, OF_THE_ERRORS * (1 - (one + other) / 2))


def together(found: Sequence[Difference]) -> list[Verdict]:
    """Return the verdicts of comparisons in one table, corrected for their number by Holm's method.

    Args:
        found: the comparisons; those without an interval are not counted.

    Returns:
        One verdict per comparison, "better" or "worse" only if it holds at 5 % for all of them together. "within the
        margin" needs no correction, since it does not claim a difference.
    """
    told = [one.chance for one in found if one.chance is not None]
    adjusted = iter(holm(told))
    chances = [None if one.chance is None else next(adjusted) for one in found]
    return [
        one.verdict if chance is None or chance <= LEVEL or one.verdict not in ("better", "worse") else one._small()
        for one, chance in zip(found, chances, strict=True)
    ]


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values, 0..1 and in the same order, corrected for their number such that all those below 5 % hold
    together. No p-value becomes smaller.
    """
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = least
    return adjusted


@lru_cache(maxsize=4096)
def student(freedom: float) -> float:
    """Return the 0.975 quantile of Student's t, to six digits: the number of standard errors on either side of a mean
    that hold 95 %. It is 12.706 for one degree of freedom, 1.960 for very many; `freedom` is a real number >= 1.
    """
    low, high = 1.9, 13.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _held(middle, freedom) < 0.475 else (low, middle)
    return (low + high) / 2


def _held(value: float, freedom: float) -> float:
    """Return the probability between 0 and a value in Student's t, by Simpson's rule over sinh for the long tails."""
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    end = math.asinh(value)
    places = np.linspace(0, end, 2001)
    density = np.exp(constant - (freedom + 1) / 2 * np.log1p(np.sinh(places) ** 2 / freedom)) * np.cosh(places)
    return float((density[0] + density[-1] + 4 * density[1:-1:2].sum() + 2 * density[2:-2:2].sum()) * end / 6000)


def _residuals(side: Answers) -> tuple[float, float]:
    """Return the mean square of the residuals, contained in the variances of both axes, and its degrees of freedom."""
    left = side - side.mean(1, keepdims=True) - side.mean(0) + side.mean()
    freedom = (side.shape[0] - 1.0) * (side.shape[1] - 1.0)
    return float((left**2).sum()) / freedom / side.size, freedom


@dataclass(frozen=True, eq=False)
class Paired:
    """The difference between two numbers, compared over pictures.

    Args:
        mean: mean of the differences.
        low, high: limits of its 95 % confidence interval, from the standard error over pictures and Student's t.
        below: share of the pictures whose difference is below 0; 0..1.
    """

    mean: Floats
    low: Floats
    high: Floats
    below: Floats

    @property
    def verdicts(self) -> npt.NDArray[np.int64]:
        """1 if the interval lies above 0, -1 if it lies below, 0 if it contains 0."""
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, 0))


def paired(one: Floats, other: Floats) -> Paired:
    """Compare two numbers (picture, ...) picture by picture: the difference `one` minus `other`, of shape (...).

    Source: Student, "The probable error of a mean", 1908.
    """
    if one.shape != other.shape or len(one) < 2:
        raise BadInput(f"A comparison needs the same pictures, at least two, not {one.shape} and {other.shape}.")
    difference = one - other
    mean, error = difference.mean(0), difference.std(0, ddof=1) / np.sqrt(len(difference))
    half = student(len(difference) - 1) * error
    return Paired(mean, mean - half, mean + half, (difference < 0).mean(0))

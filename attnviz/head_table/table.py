"""The result: the measures of each head on each picture, and their means over pictures with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats, Integers
from attnviz.errors import BadInput, UnknownName
from attnviz.measures.difference import student

if TYPE_CHECKING:
    from attnviz.head_table.calls import Call


@dataclass(frozen=True)
class Measure:
    """A number for each head and picture.

    Args:
        title: name for people.
        unit: unit of its values; "" if there is none.
        about: description in one sentence.
        scale: "unit" for a share, 0..1; "positive" for 0 and above; "signed" around 0.
        none: why a head may have no such number.
    """

    title: str
    unit: str
    about: str
    scale: Literal["unit", "positive", "signed"]
    none: str = ""


_GRID = "The positions of the tokens on the picture are unknown."

MEASURES: dict[str, Measure] = {
    "effect": Measure(
        "Effect on the answer", "logits",
        "The decrease of the answer's logit, above the mean of all logits, when the head is switched off.", "signed",
    ),
    "changed": Measure(
        "Changed answers", "share of pictures",
        "The share of pictures whose answer changes when the head is switched off.", "unit",
    ),
    "distance": Measure(
        "Mean distance", "pixels", "The mean distance from a query to the keys it attends to.", "positive", _GRID,
    ),
    "entropy": Measure(
        "Entropy", "bits", "How spread out the attention of a query is: 0 if one key gets everything.", "positive",
    ),
    "object": Measure(
        "Share on the object", "share of attention", "The share of the attention that lies on the object, such as ink.",
        "unit", "The positions of the object, or of the tokens on the picture, are unknown.",
    ),
    "prefix": Measure(
        "Share on class token and registers", "share of attention",
        "The share of the attention that goes to tokens that are not part of the picture.", "unit",
        "There is no class token and no register.",
    ),
    "query": Measure(
        "Dependence on the query", "bits",
        "The information between query and key: 0 if all queries attend to the same keys.", "positive",
    ),
    "position": Measure(
        "Predicted by position", "correlation",
        "How well the mean map of other pictures predicts the map: 1 if the picture makes no difference.", "signed",
        "Other pictures are needed.",
    ),
    "gradient": Measure(
        "Agreement with the gradient", "Kendall's tau",
        "Whether the tokens that receive most are those whose pixels change the answer most.", "signed", _GRID,
    ),
    "erasure": Measure(
        "Agreement with erasure", "Kendall's tau",
        "Whether the tokens that receive most are those whose removal lowers the answer most.", "signed", _GRID,
    ),
    "likeness": Measure(
        "Similarity to the nearest head", "correlation",
        "The correlation of the maps of this head with those of the most similar head.", "signed",
        "There is no other head with as many queries and keys.",
    ),
}  # fmt: skip
"""name -> measure, in the order of tables."""

SHARES = ("changed",)
"""Measures that are true or false on each picture, with Wilson's intervals."""

UNTESTED = "cannot be tested here"
"""The result of a statement that applies to none of the pictures."""


METHOD = "Student's t over the pictures; Wilson's for shares of pictures; 95 %"
_WILSON = 1.959963984540054  # the 0.975 quantile of the normal distribution


class Head(NamedTuple):
    """One attention head: the path of its attention, the index of that in the pass, and its own index, both from 0."""

    path: str
    layer: int
    number: int

    @property
    def name(self) -> str:
        """The name for people, counted from 1, such as "2.4" for layer 2, head 4."""
        return f"{self.layer + 1}.{self.number + 1}"


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean over pictures for each head, with its interval; each is (head,), NaN if there are no values.

    Args:
        value: the mean.
        low, high: limits of its 95 % interval, see `METHOD`.
        pictures: int (head,), number of pictures that have a value.
    """

    value: Floats
    low: Floats
    high: Floats
    pictures: Integers


@dataclass(frozen=True, eq=False)
class Heads:
    """All heads of a net over many pictures.

    Args:
        heads: the heads, one per row.
        values: name of a measure -> float64 (head, picture), see `MEASURES`; NaN if there is no such number.
        numbers: int64 (picture,), the index of each picture among the given ones.
        predicted: int64 (picture,), the answers.
        labels: int64 (picture,), the right answers, or None if unknown.
        even: (picture,), the share of the picture's tokens that lie on the object, or None if unknown.
        nearest: int64 (head,), the row of the most similar head; -1 if there is none.
        calls: the attention calls that the heads belong to.
        left_out: path -> why the heads of an attention call are missing.
        random: the same for the net with random weights; None if not computed.
    """

    heads: tuple[Head, ...]
    values: Mapping[str, Floats]
    numbers: Integers
    predicted: Integers
    labels: Integers | None
    even: Floats | None
    nearest: Integers
    calls: tuple[Call, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    random: Heads | None = None

    def __getitem__(self, name: str) -> Floats:
        """Return a measure, float64 (head, picture). UnknownName lists the closest names."""
        if name not in self.values:
            raise UnknownName("measure of heads", name, MEASURES)
        return self.values[name]

    def mean(self, name: str) -> Mean:
        """Return the mean of a measure over the pictures, with its interval."""
        return (proportion if name in SHARES else average)(self[name])

    @property
    def right(self) -> npt.NDArray[np.bool_] | None:
        """Whether each answer is right, or None if the right answers are unknown."""
        return None if self.labels is None else self.predicted == self.labels

    def where(self, pictures: npt.NDArray[np.bool_]) -> Heads:
        """Return the table over the pictures marked by bool (picture,), also for random weights."""
        if pictures.shape != self.numbers.shape or not pictures.any():
            raise BadInput(f"Choose at least one of the {len(self.numbers)} pictures, with one mark for each.")
        return replace(
            self,
            values={name: values[:, pictures] for name, values in self.values.items()},
            numbers=self.numbers[pictures],
            predicted=self.predicted[pictures],
            labels=None if self.labels is None else self.labels[pictures],
            even=None if self.even is None else self.even[pictures],
            random=None if self.random is None else self.random.where(pictures),
        )


def average(values: Floats) -> Mean:
    """Return means of (head, picture) over pictures with Student's t interval ("The probable error of a mean", 1908),
    ignoring NaN.
    """
    there = ~np.isnan(values)
    count = there.sum(1)
    known = np.where(there, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = known.sum(1) / count
        deviations = np.where(there, values - mean[:, None], 0.0)
        error = np.sqrt((deviations**2).sum(1) / (count - 1) / count)
    factor = {int(one): student(one - 1) for one in np.unique(count) if one > 1}
    half = np.array([factor.get(int(one), math.nan) for one in count]) * error
    return Mean(mean, mean - half, mean + half, count)


def proportion(values: Floats) -> Mean:
    """Return shares of pictures of 0 or 1 (head, picture) with Wilson's score interval ("Probable inference, the law of
    succession, and statistical inference", 1927), ignoring NaN.
    """
    count = (~np.isnan(values)).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.nansum(values, 1) / count
        middle = (share + _WILSON**2 / (2 * count)) / (1 + _WILSON**2 / count)
        half = _WILSON / (1 + _WILSON**2 / count) * np.sqrt(share * (1 - share) / count + (_WILSON / (2 * count)) ** 2)
    return Mean(share, middle - half, middle + half, count)

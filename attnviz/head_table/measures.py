"""What is measured of a head on a picture, in words."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Measure:
    """One number for each head and picture.

    Args:
        title: its name for people.
        unit: of its values; "" where they have none.
        about: what it is, in one sentence.
        scale: "unit" for a share, 0..1; "positive" from 0 up; "signed" around 0.
        none: why a head may have no such number.
    """

    title: str
    unit: str
    about: str
    scale: Literal["unit", "positive", "signed"]
    none: str = ""


_GRID = "It is not known where the tokens lie on the picture."

MEASURES: dict[str, Measure] = {
    "effect": Measure(
        "Effect on the answer", "logits",
        "What the logit of the answer, above the mean of all logits, loses when the head is switched off.", "signed",
    ),
    "changed": Measure(
        "Changed answers", "share of pictures",
        "The share of pictures whose answer changes when the head is switched off.", "unit",
    ),
    "distance": Measure(
        "Mean distance", "pixels", "The mean distance from a query to the keys it takes from.", "positive", _GRID,
    ),
    "entropy": Measure(
        "Entropy", "bits", "How spread the attention of a query is: 0 if one key gets all.", "positive",
    ),
    "object": Measure(
        "Share on the object", "share of attention", "The share of the attention that lies on the object, such as ink.",
        "unit", "It is not known where the object is, or where the tokens lie on the picture.",
    ),
    "prefix": Measure(
        "Share on class token and registers", "share of attention",
        "The share of the attention that goes to tokens that are no part of the picture.", "unit",
        "There is no class token and no register.",
    ),
    "query": Measure(
        "Dependence on the query", "bits",
        "The information between query and key: 0 if every query takes from the same keys.", "positive",
    ),
    "position": Measure(
        "Predicted by position", "correlation",
        "How well the mean map of other pictures predicts the map: 1 if the picture makes no difference.", "signed",
        "Other pictures are needed.",
    ),
    "gradient": Measure(
        "Agreement with the gradient", "Kendall's tau",
        "Whether the tokens that receive most are those whose pixels move the answer most.", "signed", _GRID,
    ),
    "erasure": Measure(
        "Agreement with erasure", "Kendall's tau",
        "Whether the tokens that receive most are those without which the answer loses most.", "signed", _GRID,
    ),
    "likeness": Measure(
        "Likeness to the nearest head", "correlation",
        "How alike the maps of this head and of the head most like it are.", "signed",
        "There is no other head with as many queries and keys.",
    ),
}  # fmt: skip
"""name -> what it is; the order is that of tables."""

SHARES = ("changed",)
"""Measures that are yes or no on each picture, whose intervals are Wilson's."""

UNTESTED = "cannot be tested here"
"""The result of a statement that none of the pictures can test."""

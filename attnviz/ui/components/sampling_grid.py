"""A picture and the grid at which it is sampled, both to be moved by hand: the data for `frontend/sampling_grid/`.

Theta comes with the data, and the browser computes grid, sampled picture and decomposition from it. A picture that is
moved is sent to the live channel as pixels; a grid that is not the net's own is an edit of theta.

A *view* is a dictionary: "drag" (what the pointer takes hold of), "rotate" (degrees, counter-clockwise), "scale",
"across" and "down" (pixels): how the picture is moved; "grid" (one of GRIDS: which theta is used) and "theta" (six
numbers, row by row: set by hand, in place of that).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind

GRIDS = ("own", "identity", "mean")
"""Which theta is used: that of the net for this picture, the identity, or the mean over many pictures."""

_NUMBER = r"-?\d{1,3}(?:\.\d{1,4})?"


def read_signed(word: str) -> float | None:
    """Return the number that a word such as "-12.5" means; None for anything else."""
    return float(word) if re.fullmatch(_NUMBER, word, re.ASCII) else None


def read_theta(word: str) -> list[float] | None:
    """Return the six numbers that a word such as "1,0,0,0,1,0" means; None for anything else."""
    return [float(part) for part in word.split(",")] if re.fullmatch(f"{_NUMBER}(,{_NUMBER}){{5}}", word) else None


def write_theta(theta: Sequence[float]) -> str:
    """Return the word of six numbers, as `read_theta` reads it."""
    return ",".join(f"{value:g}" for value in theta)


KINDS["signed"] = Kind(read_signed, lambda value: f"{value:g}")
KINDS["theta"] = Kind(read_theta, write_theta)

FIELDS = Fields(
    Field("drag", "choice", "picture", ("picture", "grid")),
    Field("rotate", "signed", 0),
    Field("scale", "signed", 1),
    Field("across", "signed", 0),
    Field("down", "signed", 0),
    Field("grid", "choice", "own", GRIDS),
    Field("theta", "theta"),
)

DECLARED = ("answer", "probability", "answer_before", "probability_before", "rotate", "grid", "angle", "shear")
"""What lessons can ask for: the answers now and before; by how many degrees the picture is rotated by hand, and which
grid is used, with its own angle and shear in degrees."""


@dataclass(frozen=True, eq=False)
class Angles(Payload):
    """By how much many pictures were rotated, and by how much their grids are, in degrees counter-clockwise as seen.

    Args:
        slope, offset: of the line that is nearest to them; None where none is.
        here: by how much the picture that is shown was rotated before anybody moved it; None if that is not known.
    """

    picture: Annotated[Array, Axes("picture", FLOATS, sent="float32")]
    grid: Annotated[Array, Axes("picture", FLOATS, sent="float32")]
    slope: float | None
    offset: float | None
    here: float | None


@dataclass(frozen=True, eq=False)
class GridView(Payload):
    """A picture, the transform that a net computes from it, and its answer.

    Args:
        ink: whether it is ink on paper, and not a photograph.
        theta: the transform, 2 x 3.
        mean: of theta over many pictures: a transform that the net could compute.
        many: over which pictures, in words.
        tap: the tap path of theta.
        classes: the names of the answers.
        label: what the picture shows.
        angles: of many pictures; None where it is not known by how much they were rotated.
        checkpoint: the key of the net that the live channel asks.
        asked: the example, as a request names it.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: Annotated[Array, Axes("row column colour", ("uint8",))]
    ink: bool
    theta: Annotated[Array, Axes("two three", FLOATS, sent="float64")]
    mean: Annotated[Array, Axes("two three", FLOATS, sent="float64")]
    many: str
    tap: str
    classes: tuple[str, ...]
    label: str | None
    logits: Annotated[Array, Axes("logit", FLOATS, sent="float32")]
    probabilities: Annotated[Array, Axes("class", FLOATS, sent="float32")]
    angles: Angles | None
    checkpoint: str
    asked: Mapping[str, Any]
    origin: Mapping[str, str | int | float] = field(default_factory=dict)

    def sizes(self) -> dict[str, int]:
        """Return the sizes of a transform."""
        return {"two": 2, "three": 3}


sampling_grid = url_view.Viewed("sampling_grid", FIELDS)
"""Draws a picture and its grid, from a packed view."""

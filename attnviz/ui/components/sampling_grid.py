"""A picture and its sampling grid, both movable by hand: the data for `frontend/sampling_grid/`.

The data include theta, from which the browser computes the grid, the sampled picture and the decomposition. A moved
picture is sent to the live channel as pixels; a grid other than the net's own is an edit of theta.

A *view* is a dictionary: "drag" (what the pointer drags); the picture's movement as "rotate" (degrees,
counter-clockwise), "scale", "across" and "down" (pixels); "grid" (one of GRIDS, the theta to use) and "theta" (six
numbers, row by row, set by hand, which override it).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind

GRIDS = ("own", "identity", "mean")
"""The theta to use: the net's for this picture, the identity, or the mean over many pictures."""

_NUMBER = r"-?\d{1,3}(?:\.\d{1,4})?"


def read_signed(word: str) -> float | None:
    """Return the number in a string such as "-12.5", or None if it is invalid."""
    return float(word) if re.fullmatch(_NUMBER, word, re.ASCII) else None


def read_theta(word: str) -> list[float] | None:
    """Return the six numbers in a string such as "1,0,0,0,1,0", or None if it is invalid."""
    return [float(part) for part in word.split(",")] if re.fullmatch(f"{_NUMBER}(,{_NUMBER}){{5}}", word) else None


def write_theta(theta: Sequence[float]) -> str:
    """Encode six numbers as a string that `read_theta` reads."""
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
"""The values that lessons can use: the answers now and before; the picture's rotation by hand in degrees, and the grid
in use, with its own angle and shear in degrees."""


@dataclass(frozen=True, eq=False)
class Angles(Payload):
    """The rotations of many pictures, and of their grids, in degrees counter-clockwise as seen.

    Args:
        slope, offset: Of the best-fitting line; None if there is none.
        here: The original rotation of the picture that is shown; None if unknown.
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
        ink: Whether the picture is ink on paper rather than a photograph.
        theta: The transform, 2 x 3.
        mean: The mean of theta over many pictures, a transform that the net could compute.
        many: The pictures that the mean is over, in words.
        tap: The tap path of theta.
        classes: The names of the answers.
        label: The picture's true class.
        angles: The angles of many pictures; None if their rotations are unknown.
        checkpoint: The key of the net for the live channel.
        asked: The example, as named in requests.
        origin: The software version, model, recipe, seed, digest and image, written into every export.
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

"""A picture and the grid at which it is sampled, both to be moved by hand: the data for `frontend/sampling_grid/`.

Theta comes with the data, and the browser computes grid, sampled picture and decomposition from it. A picture that is
moved is sent to the live channel as pixels; a grid that is not the net's own is an edit of theta.

A *view* is a dictionary: "drag" (what the pointer takes hold of), "rotate" (degrees, counter-clockwise), "scale",
"across" and "down" (pixels): how the picture is moved; "grid" (one of GRIDS: which theta is used) and "theta" (six
numbers, row by row: set by hand, in the place of that).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack
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
class Angles:
    """By how much many pictures were rotated, and by how much their grids are, in degrees counter-clockwise as seen.

    Args:
        picture, grid: (picture,)
        slope, offset: of the line that is nearest to them; None where none is.
        here: by how much the picture that is shown was rotated before anybody moved it; None if that is not known.
    """

    picture: np.ndarray
    grid: np.ndarray
    slope: float | None
    offset: float | None
    here: float | None


@dataclass(frozen=True, eq=False)
class GridView:
    """A picture, the transform that a net computes from it, and its answer.

    Args:
        picture: uint8 (row, column, 1 or 3).
        ink: whether it is ink on paper, and not a photograph.
        theta: (2, 3)
        mean: (2, 3), over many pictures, and a transform that the net could compute.
        many: over which pictures, in words.
        tap: the tap path of theta.
        classes: the names of the answers.
        label: what the picture shows.
        logits, probabilities: the answer.
        angles: of many pictures; None where it is not known by how much they were rotated.
        checkpoint: the key of the net that the live channel asks.
        asked: the example, as a request names it.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: np.ndarray
    ink: bool
    theta: np.ndarray
    mean: np.ndarray
    many: str
    tap: str
    classes: tuple[str, ...]
    label: str | None
    logits: np.ndarray
    probabilities: np.ndarray
    angles: Angles | None
    checkpoint: str
    asked: Mapping[str, Any]
    origin: Mapping[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if {self.theta.shape, self.mean.shape} != {(2, 3)}:
            raise BadInput(f"Theta has 2 rows and 3 columns, not the shape {self.theta.shape} or {self.mean.shape}.")


sampling_grid = url_view.Viewed("sampling_grid", FIELDS)
"""Draws a picture and its grid, from what `packed` returned."""


def packed(view: GridView) -> bytes:
    """Return a view as the browser gets it."""
    angles = view.angles
    header = {
        "ink": view.ink,
        "many": view.many,
        "tap": view.tap,
        "classes": list(view.classes),
        "label": view.label,
        "line": None if angles is None else {"slope": angles.slope, "offset": angles.offset, "here": angles.here},
        "checkpoint": view.checkpoint,
        "picture": dict(view.asked),
        "origin": dict(view.origin),
    }
    arrays = {
        "picture": view.picture,
        "theta": view.theta.astype(np.float64),
        "mean": view.mean.astype(np.float64),
        "logits": view.logits.astype(np.float32),
        "probabilities": view.probabilities.astype(np.float32),
    }
    if angles is not None:
        arrays |= {
            "angles_in": angles.picture.astype(np.float32),
            "angles_out": angles.grid.astype(np.float32),
        }
    return pack(header, arrays)

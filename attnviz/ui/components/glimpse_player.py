"""How a model looks at a picture, glimpse by glimpse: the data for `frontend/glimpse_player/`, and its view's state.

A path comes with the data, so that all of it can be looked at without the server. Another draw, or a glimpse that is
dragged elsewhere, is asked for over the live channel, as the derived value "glimpses".

A *view* is a dictionary: "glimpse" (which one is looked at), "locations" ("drawn" from the policy, its "means", or
"fifty" draws at once as a density under the path), "draw" (of which random numbers), "moved" ([glimpse, row, column] of
the pixel to which each one was moved that was).
Numbers count from 0 in it; in what a person reads, the URL included, they count from 1: `FIELDS` converts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack, unpack
from attnviz.views.url_fields import KINDS, Field, Fields, Kind, dotted, numbers

PARTS = ("player", "retina", "belief", "saves")
MOST_DRAWS = 1000  # as in view.js, which shows the first draw in place of one beyond

KINDS["moves"] = Kind(lambda word: numbers(word, 3), dotted)  # of [glimpse, row, column]

FIELDS = Fields(
    Field("glimpse", "number", 0),
    Field("locations", "choice", "drawn", ("drawn", "means", "fifty")),
    Field("draw", "number", 0),
    Field("moved", "moves", []),
)

DECLARED = ("answer", "probability", "last_answer", "last_probability", "glimpse", "glimpses", "moved")
"""What lessons can ask for: the probabilities after the glimpse that is shown and after the last one, which one
that is, of how many, and how many were moved by hand. Glimpses count from 1."""


@dataclass(frozen=True, eq=False)
class Path:
    """What the model did, in single precision as over the live channel.

    Args:
        location: (glimpse, 2), (row, column) in -1..1, where it looked.
        location_mean: (glimpse, 2), of the distribution that each was drawn from.
        corner: (glimpse, scale, 2), (row, column) of the top left pixel of each patch; it may lie off the picture.
        patches: (glimpse, scale, row, column), what the retina saw, 0..1.
        belief: (glimpse, class), probabilities after each glimpse.
        baseline: (glimpse,), the reward that the model expects after each glimpse.
    """

    location: np.ndarray
    location_mean: np.ndarray
    corner: np.ndarray
    patches: np.ndarray
    belief: np.ndarray
    baseline: np.ndarray

    def __post_init__(self) -> None:
        glimpses = len(self.location)
        lengths = {len(part) for part in (self.location_mean, self.corner, self.patches, self.belief, self.baseline)}
        if lengths != {glimpses}:
            raise BadInput(f"path: expected arrays of {glimpses} glimpses, got {sorted(lengths)}.")
        if self.corner.shape[1:] != (self.patches.shape[1], 2):
            raise BadInput(f"path: expected a corner for each of {self.patches.shape[1]} scales, got another number.")


@dataclass(frozen=True, eq=False)
class GlimpseView:
    """One picture, and how a model looks at it.

    Args:
        picture: uint8 (row, column, 1), as the model takes it.
        path: of the draw below.
        draw: of which random numbers the path is; None for the means.
        forced: per glimpse the [row, column] in -1..1 where the model is made to look, whatever its policy says.
        policy: "learnt", "random" or "fixed".
        std: standard deviation of a location around its mean, where half a picture is 1; of a learnt policy.
        squash: how a draw is brought into the picture, "clamp" or "tanh"; see `attnviz.layers.glimpse.Glimpses`.
        centre: whether the first glimpse is always at the centre.
        classes: the names of the answers.
        label: what the picture shows, if it is known.
        checkpoint: the key of the net that the live channel asks.
        asked: the example that it is asked about, as a request names it.
        ink: whether the picture is ink on paper.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
    """

    picture: np.ndarray
    path: Path
    draw: int | None
    policy: str
    std: float
    centre: bool
    classes: tuple[str, ...]
    label: str | None
    checkpoint: str
    asked: Mapping[str, Any]
    squash: str = "clamp"
    forced: tuple[tuple[float, float], ...] = ()
    ink: bool = False
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


def glimpse_player(
    view: GlimpseView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    parts: Sequence[str] = PARTS,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the picture with its glimpses, what the retina sees, and the belief.

    Args:
        parts: what is shown beside the picture, of PARTS. Without "player" no glimpse can be moved.
    """
    return url_view.draw(
        "glimpse_player",
        view if isinstance(view, bytes) else packed(view),
        FIELDS,
        key=key,
        state=state,
        on_change=on_change,
        parts=[*parts],
    )


def packed(view: GlimpseView) -> bytes:
    """Return a view as the browser gets it."""
    header = {
        "draw": view.draw,
        "forced": [[*place] for place in view.forced],
        "policy": view.policy,
        "std": view.std,
        "squash": view.squash,
        "centre": view.centre,
        "classes": [*view.classes],
        "label": view.label,
        "checkpoint": view.checkpoint,
        "ask": dict(view.asked),
        "ink": view.ink,
        "origin": dict(view.origin),
    }
    path = view.path
    arrays = {
        "picture": view.picture,
        "location": path.location.astype(np.float32),
        "location_mean": path.location_mean.astype(np.float32),
        "corner": path.corner.astype(np.float32),
        "patches": path.patches.astype(np.float32),
        "belief": path.belief.astype(np.float32),
        "baseline": path.baseline.astype(np.float32),
    }
    return pack(header, arrays)


def unpacked(data: bytes) -> GlimpseView:
    """Return the view from the bytes that `packed` returned."""
    header, arrays = unpack(data)
    header.pop("request", None)
    given = {
        **{name: value for name, value in header.items() if name != "ask"},
        "asked": header["ask"],
        "classes": tuple(header["classes"]),
        "forced": tuple((row, column) for row, column in header["forced"]),
        "picture": arrays.pop("picture"),
    }
    return GlimpseView(**given, path=Path(**arrays))


def draw_of(state: Mapping[str, Any]) -> int | None:
    """Return of which random numbers the path is that a view shows; None for the means, 0 for nonsense."""
    if state.get("locations") == "means":
        return None
    draw = state.get("draw", 0)
    return draw if type(draw) is int and 0 <= draw < MOST_DRAWS else 0

"""How a model looks at a picture, glimpse by glimpse: what the glimpse player and a figure show, and its view's state.

A *view* is a dictionary: "glimpse" (which one is looked at), "locations" ("drawn" from the policy, its "means", or
"fifty" draws at once as a density under the path), "draw" (of which random numbers), "moved" ([glimpse, row, column] of
the pixel to which each one was moved that was).
Numbers count from 0 in it; in what a person reads, the URL included, they count from 1: `FIELDS` converts.
Loads neither torch nor numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.views.payload import pack, unpack
from attnviz.views.url_fields import KINDS, Field, Fields, Kind, dotted, numbers

if TYPE_CHECKING:
    import numpy as np
    from torch import nn

    from attnviz.layers.glimpse import Glimpses

TAPS = ("location_mean", "location", "patches", "belief", "baseline")
MOST_DRAWS = 1000  # as in view.js, which shows the first draw in place of one beyond

KINDS["moves"] = Kind(lambda word: numbers(word, 3), dotted)  # of [glimpse, row, column]

FIELDS = Fields(
    Field("glimpse", "number", 0),
    Field("locations", "choice", "drawn", ("drawn", "means", "fifty")),
    Field("draw", "number", 0),
    Field("moved", "moves", []),
)


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
        draw: of which random numbers the path is; None for the means, -1 for unknown ones.
        forced: per glimpse the [row, column] in -1..1 where the model is made to look, whatever its policy says.
        policy: "learnt", "random" or "fixed".
        std: standard deviation of a location around its mean, where half a picture is 1; of a learnt policy.
        squash: how a draw is brought into the picture, "clamp" or "tanh"; see `attnviz.layers.glimpse.Glimpses`.
        centre: whether the first glimpse is always at the centre.
        classes: the names of the answers.
        label: what the picture shows, if it is known.
        checkpoint: the key of the net that the live channel asks; None where there is no channel, as in a figure.
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
    checkpoint: str | None
    asked: Mapping[str, Any]
    squash: str = "clamp"
    forced: tuple[tuple[float, float], ...] = ()
    ink: bool = False
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


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
        "location": path.location.astype("float32"),
        "location_mean": path.location_mean.astype("float32"),
        "corner": path.corner.astype("float32"),
        "patches": path.patches.astype("float32"),
        "belief": path.belief.astype("float32"),
        "baseline": path.baseline.astype("float32"),
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


def layer_of(model: nn.Module) -> tuple[str, Glimpses]:
    """Return path and layer of what takes the glimpses; BadInput where the model does not look in glimpses."""
    from attnviz.layers.glimpse import Glimpses

    found = next(((path, layer) for path, layer in model.named_modules() if isinstance(layer, Glimpses)), None)
    if found is None:
        raise BadInput(f"{type(model).__name__} does not look in glimpses, so it has no path.")
    return found

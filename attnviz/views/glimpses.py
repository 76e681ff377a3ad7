"""A model's path of glimpses over a picture, for the glimpse player and figures, and the state of its view.

A *view* is a dictionary: "glimpse" (the selected one), "locations" ("drawn" from the policy, its "means", or "fifty"
draws at once as a density under the path), "draw" (the seed of the random numbers), "moved" ([glimpse, row, column] for
each glimpse that was moved to another pixel).
Numbers count from 0 in it. In text for people, including the URL, they count from 1; `FIELDS` converts.
Importing this loads neither torch nor numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from attnviz.errors import BadInput
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind, dotted, numbers

if TYPE_CHECKING:
    from torch import nn

    from attnviz.layers.glimpse import Glimpses

TAPS = ("location_mean", "location", "patches", "belief", "baseline")
MOST_DRAWS = 1000  # as in view.js, which shows the first draw instead of a higher one

KINDS["moves"] = Kind(lambda word: numbers(word, 3), dotted)  # of [glimpse, row, column]

FIELDS = Fields(
    Field("glimpse", "number", 0),
    Field("locations", "choice", "drawn", ("drawn", "means", "fifty")),
    Field("draw", "number", 0),
    Field("moved", "moves", []),
)


@dataclass(frozen=True, eq=False)
class GlimpsePath(Payload):
    """The model's path, in single precision as over the live channel.

    Args:
        location: (row, column) in -1..1, where the model looked.
        location_mean: means of the distributions that the locations were drawn from.
        corner: (row, column) of the top left pixel of each patch, which may lie outside the picture.
        patches: output of the retina, 0..1.
        belief: probabilities after each glimpse.
        baseline: the model's expected reward after each glimpse.
    """

    location: Annotated[Array, Axes("glimpse pair", FLOATS, sent="float32")]
    location_mean: Annotated[Array, Axes("glimpse pair", FLOATS, sent="float32")]
    corner: Annotated[Array, Axes("glimpse scale pair", ("int32", "float32"), sent="float32")]
    patches: Annotated[Array, Axes("glimpse scale patch_row patch_column", FLOATS, sent="float32")]
    belief: Annotated[Array, Axes("glimpse class", FLOATS, sent="float32")]
    baseline: Annotated[Array, Axes("glimpse", FLOATS, sent="float32")]

    def sizes(self) -> dict[str, int]:
        return {"pair": 2}


@dataclass(frozen=True, eq=False)
class GlimpseView(GlimpsePath):
    """One picture, and the model's path over it.

    Args:
        picture: the picture as the model receives it.
        draw: seed of the path's random numbers; None for the means, -1 if unknown.
        policy: "learnt", "random" or "fixed".
        std: standard deviation of a location around its mean for a learnt policy, where half a picture is 1.
        centre: whether the first glimpse is always at the centre.
        classes: names of the answers.
        label: the true class, if known.
        checkpoint: key of the net for the live channel; None without a channel, as in a figure.
        ask: the example, in the form that a request names it.
        squash: how a draw is moved into the picture, "clamp" or "tanh"; see `attnviz.layers.glimpse.Glimpses`.
        forced: for each glimpse the [row, column] in -1..1 where the model must look, whatever its policy.
        ink: whether the picture is ink on paper.
        origin: software version, model, recipe, seed, digest, image; included in every export.
    """

    picture: Annotated[Array, Axes("row column channel", ("uint8",))]
    draw: int | None
    policy: str
    std: float
    centre: bool
    classes: tuple[str, ...]
    label: str | None
    checkpoint: str | None
    ask: Mapping[str, Any]
    squash: str = "clamp"
    forced: tuple[tuple[float, float], ...] = ()
    ink: bool = False
    origin: Mapping[str, str | int | float] = field(default_factory=dict)


def draw_of(state: Mapping[str, Any]) -> int | None:
    """Return the seed of the path in a view; None for the means, 0 for an invalid value."""
    if state.get("locations") == "means":
        return None
    draw = state.get("draw", 0)
    return draw if type(draw) is int and 0 <= draw < MOST_DRAWS else 0


def layer_of(model: nn.Module) -> tuple[str, Glimpses]:
    """Return path and layer of the glimpses of a model, or raise BadInput if it does not look in glimpses."""
    from attnviz.layers.glimpse import Glimpses

    found = next(((path, layer) for path, layer in model.named_modules() if isinstance(layer, Glimpses)), None)
    if found is None:
        raise BadInput(f"{type(model).__name__} does not look in glimpses, so it has no path.")
    return found

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
from typing import TYPE_CHECKING, Annotated, Any

from attnviz.errors import BadInput
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import KINDS, Field, Fields, Kind, dotted, numbers

if TYPE_CHECKING:
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
class GlimpsePath(Payload):
    """What the model did, in single precision as over the live channel.

    Args:
        location: (row, column) in -1..1, where it looked.
        location_mean: of the distribution that each was drawn from.
        corner: (row, column) of the top left pixel of each patch; it may lie off the picture.
        patches: what the retina saw, 0..1.
        belief: probabilities after each glimpse.
        baseline: the reward that the model expects after each glimpse.
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
    """One picture, and the path on which a model looks at it.

    Args:
        picture: as the model takes it.
        draw: of which random numbers the path is; None for the means, -1 for unknown ones.
        policy: "learnt", "random" or "fixed".
        std: standard deviation of a location around its mean, where half a picture is 1; of a learnt policy.
        centre: whether the first glimpse is always at the centre.
        classes: the names of the answers.
        label: what the picture shows, if it is known.
        checkpoint: the key of the net that the live channel asks; None where there is no channel, as in a figure.
        ask: the example that it is asked about, as a request names it.
        squash: how a draw is brought into the picture, "clamp" or "tanh"; see `attnviz.layers.glimpse.Glimpses`.
        forced: per glimpse the [row, column] in -1..1 where the model is made to look, whatever its policy says.
        ink: whether the picture is ink on paper.
        origin: software version, model, recipe, seed, digest, image: stands in every export.
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

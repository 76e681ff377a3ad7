"""The contents of the component and the panel for a net that reads a strip, on its page and the draw page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from attnviz.errors import BadInput, closest
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, Index, NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.readings import Reading
    from attnviz.subjects import Loaded, Net, Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the strip, texts and weights as the component's payload."""
    from attnviz.ui.mechanisms.sequences import reading

    return cache.of_subject(reading.view, subject).packed()


ALIGNMENT_VIEW = View("alignment_view", NoParameters, payload, lasts=True)


KINDS = {
    "additive": "additive attention",
    "none": "one vector",
    "uniform": "equal weights",
    "transformer": "a Transformer",
}


def panel_of(net: Net) -> Panel:
    """Return the panel: the drawing as a strip of one digit."""
    kind = KINDS[str(net.config.get("attention", "transformer"))]
    return Panel("Reads strips", kind, "ink", "a strip of one digit", page="sequences")


STEPS, COLUMNS = 31, 105  # in the longest text and the widest strip

Step = Annotated[int, Field(ge=0, lt=STEPS)]


class Moved(Strict):
    """A shift of the weights of one step, counted from 0, by a number of columns to the right."""

    step: Step
    by: Annotated[int, Field(gt=-COLUMNS, lt=COLUMNS)]


class Reads(Strict):
    """How a strip is read.

    Args:
        told: The symbols that the steps receive (teacher forcing), ending with the stop symbol; None for its own.
        layer: The name of the layer whose weights are moved, or "" for the last one that attends to the strip.
        head: The head of that layer, or None for all heads.
        moved: The shifts of the weights of some steps.
        unmasked: Whether each step may attend to later ones, which needs `told`.
        shown: The layers whose weights are returned, by name. "first" is the last one that attends to the strip, and
            "gradient" returns how much the prediction of a step depends on each column.
        taps: The tap paths of these layers, which `settle` fills in.
    """

    told: Annotated[list[Annotated[int, Field(ge=0, le=10)]], Field(min_length=1, max_length=STEPS)] | None = None
    layer: str = ""
    head: Index | None = None
    moved: Annotated[list[Moved], Field(max_length=STEPS)] = []
    unmasked: bool = False
    shown: Annotated[list[str], Field(max_length=16)] = []
    taps: Annotated[list[str], Field(max_length=16)] = []


def settle(loaded: Loaded, parameters: Reads) -> Reads:
    """Return the parameters with this net's tap paths filled in."""
    from attnviz.ui.mechanisms.sequences import reading

    net = loaded.net
    if "targets" not in net.takes:
        raise BadInput(f"{net.key} outputs no text, so it cannot read a strip.")
    layers = reading.named(loaded.model)
    for name in (*parameters.shown, *([parameters.layer] if parameters.layer else [])):
        if name not in layers and (name != reading.GRADIENT or name == parameters.layer):
            raise BadInput(f"{net.key} has no layer {name!r:.100}. {closest(name, layers)}")
    first = layers[parameters.layer or reading.FIRST]
    if parameters.moved:
        if (first.queries, first.keys) != ("steps", "columns"):
            raise BadInput(f"The weights of {first.title.lower()} cannot be moved along the strip.")
        heads = int(getattr(loaded.model.get_submodule(first.path), "heads", 1))
        if parameters.head is not None and parameters.head >= heads:
            raise BadInput(f"{first.title} has {heads} heads, counted from 0; there is no head {parameters.head}.")
    if parameters.unmasked and (
        parameters.told is None or not any("mask" in getattr(part, "taps", ()) for part in loaded.model.modules())
    ):
        raise BadInput(f"{net.key} has no mask to remove under teacher forcing with this text.")
    taps = reading.taps_of([layers[name] for name in parameters.shown if name in layers])
    return parameters.model_copy(update={"layer": first.name, "taps": taps})


def taps(parameters: Reads) -> tuple[str, ...]:
    """Return the tap paths of the layers that are shown."""
    return tuple(parameters.taps)


def run(context: Context[Reads]) -> Tensor:
    """Make the pass with teacher forcing and the changes, and return its logits, (picture, step, class)."""
    from attnviz.ui.mechanisms.sequences import reading

    parameters, model = context.parameters, context.loaded.model
    layers = reading.named(model)
    change = reading.Change(
        layers[parameters.layer].path,
        parameters.head,
        {one.step: one.by for one in parameters.moved},
        parameters.unmasked,
    )
    return reading.said(model, context.images, parameters.told, change)[0]


def compute(context: Context[Reads]) -> dict[str, Reading]:
    """Return the weights of each layer that is shown, by name, as (batch, head, query, key), and the gradients of the
    predictions as by `reading.gradients`."""
    from attnviz.readings import Reading
    from attnviz.ui.mechanisms.sequences import reading

    assert context.logits is not None
    steps = context.logits.shape[1]
    layers = reading.named(context.loaded.model)
    axes = ("batch", "head", "query", "key")
    found = {}
    looked = [name for name in context.parameters.shown if name in layers]
    for name, tap in zip(looked, context.parameters.taps, strict=True):
        weights = reading.weights_of(context.seen[tap], layers[name], steps)
        found[name] = Reading(name, weights[None], axes)
    if reading.GRADIENT in context.parameters.shown:
        symbols = context.logits[0].argmax(-1).tolist()
        text = context.parameters.told or symbols
        shares = reading.gradients(context.loaded.model, context.images, text)
        found[reading.GRADIENT] = Reading(reading.GRADIENT, shares[None, None], axes)
    return found


def cost(parameters: Reads, net: Net) -> float:
    """Return the cost in forward passes beyond that of `run`: for gradients, a forward and a backward pass on one copy
    of the strip for each step."""
    return 3.0 * STEPS if "gradient" in parameters.shown else 0.0


READ = Derived("read", Reads, compute, taps, settle, run=run, cost=cost)

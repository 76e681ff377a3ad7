"""The derived values of element-wise attention: a forward pass with another eps, skip or relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import example
from attnviz.ui.live.derived import Context, Derived, NoParameters
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.readings import Reading

Path = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.]{0,190}$")]


class Switched(Strict):
    """How a pass differs from that of the trained model, in all layers.

    Args:
        eps: The eps of the norm of the relevance; None keeps the trained one.
        skip: Whether the input of a layer is added to the output of its convolution.
        relevance: What replaces the normed relevance: "mean" for the mean over the sample pictures, "one" for 1,
            "other" for that of another picture, "zero" for 0, so that nothing enters the convolution.
        data, other: The data set of that other picture, and its index in the test split.
        layers: The paths of the layers whose stages are returned.
    """

    eps: Annotated[float, Field(gt=0, le=1)] | None = None
    skip: bool = True
    relevance: Literal["learnt", "mean", "one", "other", "zero"] = "learnt"
    data: Annotated[str, Field(max_length=100)] | None = None
    other: Annotated[int, Field(ge=0)] | None = None
    layers: Annotated[list[Path], Field(max_length=16)] = []


def run(context: Context[Switched]) -> Tensor:
    """Make the pass with these parameters and return its logits, (picture, column).

    The model itself is not changed, because other visitors use it too. The changes are edits at the taps, in a trace
    nested in that of the live channel, which records and edits what comes after.
    """
    from attnviz.tracing import trace

    model = context.loaded.model
    edits = changes(context)
    if not edits:
        logits: Tensor = model(context.images)
        return logits
    with trace(model, (), edits):
        switched: Tensor = model(context.images)
    return switched


def changes(context: Context[Switched]) -> dict[str, Any]:
    """Return the edits for these parameters, by tap path."""
    from attnviz.ui.mechanisms.element_wise.stages import layers_of

    wanted, layers = context.parameters, layers_of(context.loaded.model)
    found: dict[str, Any] = {}
    if not wanted.skip:
        for path, layer in layers.items():
            if layer.skip:
                found |= _without_skip(path)
    if wanted.relevance == "learnt":
        if wanted.eps is not None:
            for path, layer in layers.items():
                found[f"{path}.normed_relevance"] = _with_eps(path, layer, wanted.eps)
        return found
    for path, instead in _relevance(context, list(layers)).items():
        found[f"{path}.normed_relevance"] = lambda tensor, instead=instead: instead.to(tensor).expand_as(tensor)
    return found


def _without_skip(path: str) -> dict[str, Any]:
    """Return edits that remove the skip: they keep the output of the convolution and put it in at the next tap."""
    kept: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        kept[:] = [tensor]
        return tensor

    return {f"{path}.after_conv": keep, f"{path}.before_norm": lambda tensor: kept[0]}


def _with_eps(path: str, layer: Any, eps: float) -> Any:
    """Return an edit that converts a normed relevance to another eps, by the ratio of the two standard deviations."""
    norm = layer.norm
    if norm is None:
        raise BadInput(f"{path} does not normalise its relevance, so there is no eps to change.")
    heads, channels = layer.x_weights.shape[:2]
    ratio = ((norm.running_var + norm.eps) / (norm.running_var + eps)).sqrt().view(1, heads, channels, 1, 1)
    shift = 0 if norm.bias is None else norm.bias.view(1, heads, channels, 1, 1)
    return lambda tensor: (tensor - shift) * ratio + shift


def _relevance(context: Context[Switched], paths: list[str]) -> dict[str, Tensor]:
    """Return the normed relevance that replaces that of each layer, by path, (1, head, channel, row, column)."""
    import torch

    from attnviz.answers import as_batch
    from attnviz.tracing import trace
    from attnviz.ui.mechanisms.element_wise import stages

    wanted, (model, net) = context.parameters, context.loaded
    if wanted.relevance in ("one", "zero"):
        return dict.fromkeys(paths, torch.full((), float(wanted.relevance == "one")))
    if wanted.relevance == "mean":
        means = cache.of_net(stages.mean_relevance, net)
        return {path: torch.tensor(means[path])[None] for path in paths}
    if wanted.data is None or wanted.other is None:
        raise BadInput('The relevance "other" needs a picture: its data set as "data" and its number as "other".')
    image = example(wanted.data, wanted.other).taken_by(net)
    batch = as_batch(image, double=context.images.dtype == torch.float64)
    with torch.no_grad(), trace(model, [f"{path}.normed_relevance" for path in paths]) as seen:
        model(batch)
    return {path: seen[f"{path}.normed_relevance"].tensor for path in paths}


def taps(parameters: Switched) -> tuple[str, ...]:
    """Return the taps of the stages that are returned."""
    return tuple(f"{path}.{tap}" for path in parameters.layers for tap in ("attended", "after_conv", "output"))


def compute(context: Context[Switched]) -> dict[str, Reading]:
    """Return `attended` as the mean of the heads, `after_conv` and `output` of each requested layer.

    Each is (batch, layer, channel, row, column). The result is empty if no layer is requested.
    """
    import torch

    from attnviz.readings import Reading

    paths = context.parameters.layers
    if not paths:
        return {}
    axes = ("batch", "layer", "channel", "row", "column")
    found = {}
    for tap in ("attended", "after_conv", "output"):
        each = [context.seen[f"{path}.{tap}"] for path in paths]
        tensors = [
            reading.tensor.mean(reading.axes.index("head")) if "head" in reading.axes else reading.tensor
            for reading in each
        ]
        found[tap] = Reading(tap, torch.stack(tensors, 1), axes)
    return found


def handed_on(context: Context[NoParameters]) -> Reading:
    """Return the input of each layer's convolution, averaged over heads, and the layer's output.

    The axes are (batch, layer, feature, row, column), with the features `attended` and `output`. Blocks of pixels that
    the model turned into channels become pixels again; several planes are averaged.
    """
    import torch
    from torch.nn.functional import pixel_shuffle

    from attnviz.readings import Reading
    from attnviz.ui.mechanisms.element_wise.stages import layers_of

    def picture(maps: Tensor) -> Tensor:
        return pixel_shuffle(maps, context.images.shape[-1] // maps.shape[-1]).mean(1)

    found = []
    for path in layers_of(context.loaded.model):
        attended, output = (context.seen[f"{path}.{tap}"].tensor for tap in ("attended", "output"))
        found.append(torch.stack([picture(attended.mean(1)), picture(output)], 1))
    return Reading("handed_on", torch.stack(found, 1), ("batch", "layer", "feature", "row", "column"))


DERIVED: tuple[Derived[Any], ...] = (
    Derived("element_wise", Switched, compute, taps, run=run),
    Derived("handed_on", NoParameters, handed_on, lambda parameters: ("*.attended", "*.output")),
)

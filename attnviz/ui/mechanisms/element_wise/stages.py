"""Compute the contents of the stage grid from a net and an example. Loads torch."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz import data
from attnviz.answers import as_batch, probabilities
from attnviz.errors import BadInput
from attnviz.layers.element_wise import ElementWiseAttention
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.stage_grid import Norm, Other, StageLayer, StageView
from attnviz.ui.shared import cache, home_picture, inference, pickers

FEW = 200  # maximum number of pictures over which the mean relevance is taken


@dataclass(frozen=True, eq=False)
class Measured:
    """The measurements of one layer on one picture that the page states in words.

    Args:
        variance: The variance of the relevance over all heads, channels and pixels of this picture.
        trained: The mean of the variances stored in the norm, or None if the layer has no norm.
        eps: The number that the norm adds to the variance, or None if the layer has no norm.
        left: The share of `trained` that comes from the initial variance, 1. None if the layer has no norm, 0 if the
            variances were computed again after training.
        gain: The root mean square of `attended` divided by that of the layer's input.
        convolved: The root mean square of `after_conv` divided by that of the layer's input.
        cut: The share of the values that ReLU sets to 0.
    """

    variance: float
    trained: float | None
    eps: float | None
    left: float | None
    gain: float
    convolved: float
    cut: float

    @property
    def divided(self) -> float:
        """What the norm divides by, before the root, as a multiple of the relevance's variance; needs a norm."""
        assert self.trained is not None and self.eps is not None, "there is a norm"
        return (self.trained + self.eps) / self.variance if self.variance else float("inf")


def layers_of(model: torch.nn.Module) -> dict[str, ElementWiseAttention]:
    """Return the element-wise attention layers by path, in the order of the forward pass."""
    return {path: layer for path, layer in model.named_modules() if isinstance(layer, ElementWiseAttention)}


def view(loaded: Loaded, example: Example) -> StageView:
    """Return the contents of the stage grid for a net, in double precision, and an example."""
    model, net = loaded
    image = example.taken_by(net)
    first = next(iter(layers_of(model)), None)
    if first is None:
        raise BadInput(f"{net.key} has no layer of element-wise attention. Look at it in the explorer.")
    given, logits = _input(loaded, first, example)
    other = example.of_another_class(net.classes) if isinstance(example, Picture) else None
    return StageView(
        picture=image,
        input=given,
        layers=cache.of_net(layers, net),
        block=block_of(model, image),
        classes=net.classes,
        logits=logits[0].numpy(),
        probabilities=probabilities(logits)[0].numpy(),
        label=example.target,
        checkpoint=net.key,
        asked=example.asked,
        derived="element_wise",
        ink=example.ink,
        other=None if other is None else Other(other.number, _input_alone(loaded, first, other)),
        origin=Subject(net, example).origin(first),
    )


def layers(loaded: Loaded) -> tuple[StageLayer, ...]:
    """Return the part of the stage grid's contents that does not depend on the picture, for each layer."""
    means = cache.of_net(mean_relevance, loaded.net)
    return tuple(_layer(path, layer, means[path]) for path, layer in layers_of(loaded.model).items())


def mean_relevance(loaded: Loaded) -> dict[str, np.ndarray]:
    """Return path -> mean normed relevance over pictures like the net's own, (head, channel, row, column)."""
    model, net = loaded
    source = pickers.stand_in(net)
    found = data.shown(source)
    count = FEW if found.split == "test" else None
    images = data.load(source, found.split, count=count).images[:FEW]
    images = np.stack([*map(net.fitted, images)])
    sums: dict[str, Tensor] = {}
    taps = {path: f"{path}.normed_relevance" for path in layers_of(model)}
    for chunk in np.array_split(images, max(1, len(images) // 20)):
        batch = as_batch(chunk, double=next(model.parameters()).dtype == torch.float64)
        with torch.no_grad(), trace(model, list(taps.values())) as seen:
            model(batch)
        for path, tap in taps.items():
            sums[path] = sums.get(path, 0) + seen[tap].tensor.sum(0)
    return {path: (total / len(images)).numpy() for path, total in sums.items()}


def measure(loaded: Loaded, example: Example) -> list[Measured]:
    """Return the measurements of each layer on one example."""
    model, card = loaded.model, loaded.net.card
    renewed = card is not None and card.recipe.keep == "renewed"
    with torch.no_grad(), trace(model) as seen:
        model(inference.batch_of(loaded, example))
    found = []
    for path, layer in layers_of(model).items():
        values = {tap: seen[f"{path}.{tap}"].tensor[0] for tap in layer.taps if f"{path}.{tap}" in seen}
        norm = layer.norm
        x = values["input"]
        found.append(
            Measured(
                variance=values["relevance"].var(correction=0).item(),
                trained=None if norm is None or norm.running_var is None else norm.running_var.mean().item(),
                eps=None if norm is None else norm.eps,
                left=None if norm is None else left_of_the_start(norm, renewed),
                gain=(_rms(values["attended"]) / _rms(x)).item(),
                convolved=(_rms(values["after_conv"]) / _rms(x)).item(),
                cut=(values["after_norm"] < 0).double().mean().item(),
            )
        )
    return found


def left_of_the_start(norm: torch.nn.modules.batchnorm._BatchNorm, renewed: bool) -> float:
    """Return the share of a norm's stored variance, 0..1, that comes from its initial value, 1.

    It is 0 if the statistics were computed again after training. Each training step keeps 1 - momentum of the stored
    variance and adds a share of the batch's variance.
    """
    if renewed or norm.running_var is None or norm.num_batches_tracked is None or norm.momentum is None:
        return 0.0
    kept = (1 - norm.momentum) ** int(norm.num_batches_tracked)
    return min(1.0, kept / float(norm.running_var.mean()))


def attended(loaded: Loaded, example: Example) -> list[np.ndarray]:
    """Return, for each layer, what each head passes to the convolution, (head, channel, row, column)."""
    taps = [f"{path}.attended" for path in layers_of(loaded.model)]
    if not taps:
        return []
    with torch.no_grad(), trace(loaded.model, taps) as seen:
        loaded.model(inference.batch_of(loaded, example))
    return [seen[tap].tensor[0].numpy() for tap in taps]


def _rms(values: Tensor) -> Tensor:
    return values.pow(2).mean().sqrt().clamp_min(1e-30)


def _input(loaded: Loaded, path: str, example: Example) -> tuple[np.ndarray, Tensor]:
    """Return the input of the first layer, (channel, row, column), and the logits."""
    with torch.no_grad(), trace(loaded.model, [f"{path}.input"]) as seen:
        logits = loaded.model(inference.batch_of(loaded, example))
    return seen[f"{path}.input"].tensor[0].numpy(), logits


class _Reached(Exception):
    """Raised to end a forward pass early."""


def _input_alone(loaded: Loaded, path: str, example: Example) -> np.ndarray:
    """Return the input of the first layer, (channel, row, column), from a pass that ends there."""
    found: list[Tensor] = []

    def reach(value: Tensor) -> Tensor:
        found.append(value)
        raise _Reached

    with suppress(_Reached), torch.no_grad(), trace(loaded.model, (), {f"{path}.input": reach}):
        loaded.model(inference.batch_of(loaded, example))
    return found[0][0].numpy()


def block_of(model: torch.nn.Module, image: np.ndarray) -> int:
    """Return the side of the block of pixels that the model turns into channels, or 1 if it does not do this."""
    rows: int = next(iter(layers_of(model).values())).x_weights.shape[-2]
    return int(image.shape[0]) // rows


def _layer(path: str, layer: ElementWiseAttention, mean: np.ndarray) -> StageLayer:
    rows, columns = layer.shape[1:]
    return StageLayer(
        path=path,
        x_weights=layer.x_weights.numpy(),
        y_weights=layer.y_weights.numpy(),
        convolution=layer.conv.weight.numpy(),
        bias=None if layer.conv.bias is None else layer.conv.bias.numpy(),
        norm=_norm(layer.norm),
        factor=float(rows * columns) if layer.relevance_norm == "even" else 1.0,
        output_norm=_norm(layer.output_norm),
        skip=layer.skip,
        # Such a layer has the same relevance for every picture.
        fixed=None if layer.mode == "learnt" else mean,
        mean=mean,
    )


def _norm(norm: Any) -> Norm | None:
    if norm is None:
        return None
    scale, shift = (None if part is None else part.numpy() for part in (norm.weight, norm.bias))
    return Norm(norm.running_mean.numpy(), norm.running_var.numpy(), norm.eps, scale, shift)


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the boot, and its relevance in the first head: share of the row times share of the column."""
    tap = f"{next(iter(layers_of(loaded.model)))}.relevance"
    with torch.no_grad(), trace(loaded.model, [tap]) as seen:
        loaded.model(inference.batch_of(loaded, picture))
    relevance = seen[tap].tensor[0, 0, 0].numpy()
    return home_picture.grey(image[..., 0]), home_picture.heat(relevance - relevance.min())

"""From a trained model and a picture to what the stage grid draws. Loads torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz import data, models
from attnviz.answers import as_batch, probabilities
from attnviz.checkpoints import Checkpoint
from attnviz.data import inputs
from attnviz.data.inputs import drawing
from attnviz.layers.element_wise import ElementWiseAttention
from attnviz.tracing import trace
from attnviz.ui.components.stage_grid import Norm, StageLayer, StageView
from attnviz.ui.shared import cache, inference

FEW = 200  # pictures over which the mean relevance is taken, at most


@dataclass(frozen=True, eq=False)
class Measured:
    """What the page says about one layer in words, measured on one picture.

    Args:
        variance: of the relevance, over all heads, channels and pixels of this picture.
        trained: the mean of the variances that the norm learnt; None where there is no norm.
        eps: that the norm adds; None where there is no norm.
        gain: root mean square of `attended` over that of the layer's input.
        convolved: root mean square of `after_conv` over that of the layer's input.
        cut: share of the values that ReLU sets to 0.
    """

    variance: float
    trained: float | None
    eps: float | None
    gain: float
    convolved: float
    cut: float


def layers_of(model: torch.nn.Module) -> dict[str, ElementWiseAttention]:
    """Return path -> layer, in the order of the forward pass."""
    return {path: layer for path, layer in model.named_modules() if isinstance(layer, ElementWiseAttention)}


def view(checkpoint: Checkpoint, source: str, number: int) -> StageView:
    """Return what the stage grid needs of a model, in double precision, and a picture."""
    model, card = checkpoint
    label = cache.picture(source, number)[1]
    image = cache.seen(card, source, number)
    first = next(iter(layers_of(model)))
    given, logits = _input(model, first, as_batch(image, double=True))
    means = mean_relevance(checkpoint)
    layers = tuple(_layer(path, layer, means[path]) for path, layer in layers_of(model).items())
    other = _another(checkpoint, source, number, label)
    return StageView(
        picture=image,
        input=given[0].numpy(),
        layers=layers,
        block=block_of(model, image),
        classes=card.classes,
        logits=logits[0].numpy(),
        probabilities=probabilities(logits)[0].numpy(),
        label=None if drawing.is_name(source) else label,
        checkpoint=card.name,
        source=source,
        number=number,
        derived="element_wise",
        ink=cache.ink(source),
        other=None
        if other is None
        else (other, _input(model, first, batch_of(checkpoint, source, other))[0][0].numpy()),
        origin=inference.origin(checkpoint, cache.place(source, number), first),
    )


def mean_relevance(checkpoint: Checkpoint) -> dict[str, np.ndarray]:
    """Return path -> mean normed relevance over pictures of the model's data, (head, channel, row, column)."""
    model, card = checkpoint
    found = data.shown(card.recipe.data)
    taken = asdict(models.input_of(card.recipe.model, card.config))
    count = FEW if found.split == "test" else None
    images = data.load(card.recipe.data, found.split, count=count).images[:FEW]
    images = np.stack([inputs.fitted(image, **taken) for image in images])
    sums: dict[str, Tensor] = {}
    taps = {path: f"{path}.normed_relevance" for path in layers_of(model)}
    for chunk in np.array_split(images, max(1, len(images) // 20)):
        batch = as_batch(chunk, double=next(model.parameters()).dtype == torch.float64)
        with torch.no_grad(), trace(model, list(taps.values())) as seen:
            model(batch)
        for path, tap in taps.items():
            sums[path] = sums.get(path, 0) + seen[tap].tensor.sum(0)
    return {path: (total / len(images)).numpy() for path, total in sums.items()}


def measure(checkpoint: Checkpoint, source: str, number: int) -> list[Measured]:
    """Measure what the page says about each layer in words, on one picture."""
    model, _ = checkpoint
    with torch.no_grad(), trace(model) as seen:
        model(batch_of(checkpoint, source, number))
    found = []
    for path, layer in layers_of(model).items():
        said = {tap: seen[f"{path}.{tap}"].tensor[0] for tap in layer.taps if f"{path}.{tap}" in seen}
        norm = layer.norm
        x = said["input"]
        found.append(
            Measured(
                variance=said["relevance"].var(correction=0).item(),
                trained=None if norm is None or norm.running_var is None else norm.running_var.mean().item(),
                eps=None if norm is None else norm.eps,
                gain=(_rms(said["attended"]) / _rms(x)).item(),
                convolved=(_rms(said["after_conv"]) / _rms(x)).item(),
                cut=(said["after_norm"] < 0).double().mean().item(),
            )
        )
    return found


def batch_of(checkpoint: Checkpoint, source: str, number: int) -> Tensor:
    """Return a picture as the model takes it, a batch of one in double precision."""
    return as_batch(cache.seen(checkpoint.card, source, number), double=True)


def _rms(values: Tensor) -> Tensor:
    return values.pow(2).mean().sqrt().clamp_min(1e-30)


def _input(model: torch.nn.Module, path: str, batch: Tensor) -> tuple[Tensor, Tensor]:
    """Return the input of the first layer and the logits."""
    with torch.no_grad(), trace(model, [f"{path}.input"]) as seen:
        logits = model(batch)
    return seen[f"{path}.input"].tensor, logits


def block_of(model: torch.nn.Module, image: np.ndarray) -> int:
    """Return the side of the block of pixels that the model turns into channels; 1 where it turns none."""
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
        # Whatever the picture, such a layer has the relevance that it has on all pictures.
        fixed=None if layer.mode == "learnt" else mean,
        mean=mean,
    )


def _norm(norm: Any) -> Norm | None:
    if norm is None:
        return None
    scale, shift = (None if part is None else part.numpy() for part in (norm.weight, norm.bias))
    return Norm(norm.running_mean.numpy(), norm.running_var.numpy(), norm.eps, scale, shift)


def _another(checkpoint: Checkpoint, source: str, number: int, label: str) -> int | None:
    """Return the next picture of another class that can be shown here; None of a drawing."""
    if drawing.is_name(source):
        return None
    shown = data.shown(source)
    names = data.DATASETS[source].classes
    known = [place for place in range(len(shown.numbers)) if names[shown.labels[place]] in checkpoint.card.classes]
    others = [int(shown.numbers[place]) for place in known if names[shown.labels[place]] != label]
    return next((other for other in others if other > number), others[0] if others else None)


def attended(checkpoint: Checkpoint, source: str, number: int) -> list[np.ndarray]:
    """Return per layer what each head hands to the convolution, (head, channel, row, column)."""
    model, _ = checkpoint
    taps = [f"{path}.attended" for path in layers_of(model)]
    with torch.no_grad(), trace(model, taps) as seen:
        model(batch_of(checkpoint, source, number))
    return [seen[tap].tensor[0].numpy() for tap in taps]

"""From a trained model and a picture to what the glimpse player draws. Loads torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from attnviz.answers import as_batch, predicted
from attnviz.checkpoints import Checkpoint
from attnviz.data.inputs import drawing
from attnviz.tracing import trace
from attnviz.ui.components.glimpse_player import GlimpseView, Path
from attnviz.ui.mechanisms.recurrent_attention.derived import TAPS, layer_of
from attnviz.ui.shared import cache, inference

if TYPE_CHECKING:
    from attnviz.layers.glimpse import Glances, Glimpses

Places = tuple[tuple[float, float], ...]
PATHS = 50  # drawn at once for the density


def view(checkpoint: Checkpoint, source: str, number: int, draw: int | None, forced: Places = ()) -> GlimpseView:
    """Return what the player needs of a model and a picture.

    Args:
        checkpoint: of a model that looks in glimpses.
        source, number: of the picture.
        draw: of which random numbers; None for the means.
        forced: (row, column) of each glimpse in -1..1, where the model is made to look; empty leaves all to it.
    """
    # In single precision, as the live channel answers: in double, a location at the edge of a pixel could be another.
    model, card = cache.single(checkpoint.card.name)
    path, layer = layer_of(model)
    image = cache.seen(card, source, number)
    label = cache.picture(source, number)[1]
    return GlimpseView(
        picture=image,
        path=path_over(model, image, draw, forced),
        draw=draw,
        forced=forced,
        policy=layer.policy,
        std=layer.location_std,
        centre=layer.first == "centre",
        classes=card.classes,
        label=None if drawing.is_name(source) else label,
        checkpoint=card.name,
        source=source,
        number=number,
        ink=cache.ink(source),
        origin=inference.origin(checkpoint, cache.place(source, number), path),
    )


def path_over(model: torch.nn.Module, image: np.ndarray, draw: int | None, forced: Places = ()) -> Path:
    """Return what a model does on a picture, uint8 (row, column, 1)."""
    path, layer = layer_of(model)
    generator = None if draw is None else torch.Generator().manual_seed(draw)
    locations = torch.tensor([forced], dtype=torch.float32) if forced else None
    with torch.no_grad(), trace(model, [f"{path}.{tap}" for tap in TAPS]) as seen:
        model(as_batch(image), generator=generator, locations=locations)
    found = {tap: seen[f"{path}.{tap}"].tensor[:, 0] for tap in TAPS}
    return Path(
        corner=layer.retina.corners(found["location"]).numpy(), **{tap: part.numpy() for tap, part in found.items()}
    )


def many(checkpoint: Checkpoint, source: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many of `PATHS` drawn paths have each pixel in the sharp patch of each glimpse, and how many give each
    answer.

    Returns:
        share of the paths, 0..1, (glimpse, row, column); and the count of each class, (class,).
    """
    model, card = cache.single(checkpoint.card.name)
    layer = layer_of(model)[1]
    batch = as_batch(cache.seen(card, source, number)).expand(PATHS, -1, -1, -1)
    with torch.no_grad():
        seen = _look(model)(batch, generator=torch.Generator().manual_seed(0))
    corners = layer.retina.corners(seen.locations)[:, :, 0]  # (path, glimpse, 2)
    answers = predicted(seen.logits[:, -1])
    return covered(layer, corners).numpy(), np.bincount(answers.numpy(), minlength=len(card.classes))


def covered(layer: Glimpses, corners: Tensor) -> Tensor:
    """Return the share of paths whose sharp patch has each pixel, (glimpse, row, column).

    Args:
        layer: whose retina it is.
        corners: int64 (path, glimpse, 2) of the sharp patches.
    """
    rows, columns = layer.retina.shape
    size = layer.retina.size

    def inside(first: Tensor, count: int) -> Tensor:
        place = torch.arange(count)
        return ((place >= first[..., None]) & (place < first[..., None] + size)).float()

    down, across = inside(corners[..., 0], rows), inside(corners[..., 1], columns)  # (path, glimpse, place)
    return torch.einsum("pgr,pgc->grc", down, across) / len(corners)


def _look(model: torch.nn.Module) -> Callable[..., Glances]:
    look: Callable[..., Glances] = model.look  # type: ignore[assignment]
    return look


def mean_path(checkpoint: Checkpoint, source: str, numbers: tuple[int, ...]) -> Places:
    """Return the mean path, without draws, over some pictures: (row, column) of each glimpse in -1..1."""
    model, card = cache.single(checkpoint.card.name)
    images = np.stack([cache.seen(card, source, number) for number in numbers])
    with torch.no_grad():
        seen = _look(model)(as_batch(images))
    return tuple((float(row), float(column)) for row, column in seen.locations.mean(0))

"""From a trained model and a picture to what the glimpse player draws. Loads torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz import data
from attnviz.answers import as_batch
from attnviz.checkpoints import Checkpoint
from attnviz.data.inputs import drawing
from attnviz.tracing import trace
from attnviz.ui.components.glimpse_player import GlimpseView, Path
from attnviz.ui.mechanisms.recurrent_attention.derived import TAPS, layer_of
from attnviz.ui.shared import cache, inference

if TYPE_CHECKING:
    from attnviz.layers.glimpse import Glances

Places = tuple[tuple[float, float], ...]
PREFERRED = 23  # a handsome 8 among the strokes, which other pages open with as well
TRIED = 40  # pictures among which one is sought that is answered correctly


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


def first_right(checkpoint: Checkpoint, source: str) -> int:
    """Return the number of the first picture of a data set whose answer along draw 0 is correct; one that other pages
    open with is tried before all others. Where all of the first ones are answered wrongly, it is the first."""
    model, card = cache.single(checkpoint.card.name)
    shown, names = data.shown(source), data.DATASETS[source].classes
    known = [
        int(number) for number, label in zip(shown.numbers, shown.labels, strict=True) if names[label] in card.classes
    ]
    tried = [PREFERRED] * (PREFERRED in known) + known[:TRIED]
    for number in tried:
        belief = path_over(model, cache.seen(card, source, number), 0).belief[-1]
        if card.classes[int(belief.argmax())] == cache.picture(source, number)[1]:
            return number
    return tried[0]


def path_over(model: torch.nn.Module, image: np.ndarray, draw: int | None, forced: Places = ()) -> Path:
    """Return what a model does on a picture, uint8 (row, column, 1)."""
    path, layer = layer_of(model)
    generator = None if draw is None else torch.Generator().manual_seed(draw)
    locations = torch.tensor([forced], dtype=torch.float32) if forced else None
    with torch.no_grad(), trace(model, [f"{path}.{tap}" for tap in TAPS]) as seen:
        model(as_batch(image), generator=generator, locations=locations)
    found = {tap: seen[f"{path}.{tap}"].tensor[:, 0] for tap in TAPS}
    return Path(
        corner=layer.retina.corners(found["location"]).numpy().astype(np.int32),
        **{tap: part.numpy() for tap, part in found.items()},
    )


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

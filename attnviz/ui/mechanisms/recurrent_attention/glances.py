"""From a net on an example to what the glimpse player draws. Loads torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz.answers import as_batch
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.glimpse_player import GlimpseView, Path
from attnviz.ui.mechanisms.recurrent_attention.derived import TAPS, layer_of
from attnviz.ui.shared import cache, pickers

if TYPE_CHECKING:
    from attnviz.layers.glimpse import Glances

Places = tuple[tuple[float, float], ...]
PREFERRED = 23  # a handsome 8 among the strokes, which other pages open with as well
TRIED = 40  # pictures among which one is sought that is answered correctly
FEW = 40  # pictures over which the mean path is taken


def view(loaded: Loaded, example: Example, draw: int | None, forced: Places = ()) -> GlimpseView:
    """Return what the player needs of a net on an example.

    Args:
        draw: the seed of the random numbers; None for the path along the means.
        forced: (row, column) of each glimpse in -1..1, where the net is made to look; empty leaves all to it.
    """
    # In single precision, as the live channel answers: in double, a location at the edge of a pixel could be another.
    model, net = cache.single(loaded.net)
    path, layer = layer_of(model)
    image = example.taken_by(net)
    return GlimpseView(
        picture=image,
        path=path_over(model, image, draw, forced),
        draw=draw,
        forced=forced,
        policy=layer.policy,
        std=layer.location_std,
        squash=layer.squash,
        centre=layer.first == "centre",
        classes=net.classes,
        label=example.target,
        checkpoint=net.key,
        asked=example.asked,
        ink=example.ink,
        origin=Subject(net, example).origin(path),
    )


def first_right(loaded: Loaded, data: str) -> int:
    """Return the number of the first picture of a data set whose answer along draw 0 is correct; one that other pages
    open with is tried before all others. Where all of the first ones are answered wrongly, it is the first."""
    model, net = cache.single(loaded.net)
    known = pickers.Fitting(net, data, pickers.ANY, False).numbers
    tried = [*known[known == PREFERRED], *known[:TRIED]]
    for number in map(int, tried):
        picture = Picture(data, number)
        belief = path_over(model, picture.taken_by(net), 0).belief[-1]
        if net.classes[int(belief.argmax())] == picture.target:
            return number
    return int(tried[0])


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


def mean_path(loaded: Loaded, data: str) -> Places:
    """Return the mean path, without draws, over the first pictures of a data set that belong to classes of the net.

    Returns:
        (row, column) of each glimpse in -1..1.
    """
    model, net = cache.single(loaded.net)
    numbers = pickers.Fitting(net, data, pickers.ANY, False).numbers[:FEW]
    images = np.stack([Picture(data, int(number)).taken_by(net) for number in numbers])
    with torch.no_grad():
        seen = _look(model)(as_batch(images))
    return tuple((float(row), float(column)) for row, column in seen.locations.mean(0))

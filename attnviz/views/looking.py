"""Run a net on an example and return its path of glimpses. Importing this loads torch."""

from collections.abc import Mapping

import numpy as np
import torch

from attnviz.answers import as_batch
from attnviz.layers.glimpse import Glimpses
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Subject
from attnviz.tracing import trace
from attnviz.views.glimpses import TAPS, GlimpsePath, GlimpseView, layer_of

Places = tuple[tuple[float, float], ...]


def view(loaded: Loaded, example: Example, draw: int | None, forced: Places = ()) -> GlimpseView:
    """Return the view of a net on an example for the glimpse player, in single precision like the live channel: in
    double precision, a location at the edge of a pixel could differ.

    `draw` is the seed of the random numbers, or None for the path along the means. `forced` is (row, column) in -1..1
    for each glimpse whose location is given.
    """
    model, net = loaded
    path, layer = layer_of(model)
    image = example.taken_by(net)
    return GlimpseView(
        **vars(path_over(model, image, draw, forced)),
        picture=image,
        draw=draw,
        forced=forced,
        policy=layer.policy,
        std=layer.location_std,
        squash=layer.squash,
        centre=layer.first == "centre",
        classes=net.classes,
        label=example.target,
        checkpoint=net.key,
        ask=example.asked,
        ink=example.ink,
        origin=Subject(net, example).origin(path),
    )


def path_over(model: torch.nn.Module, image: np.ndarray, draw: int | None, forced: Places = ()) -> GlimpsePath:
    """Return a model's path over a picture, uint8 (row, column, 1)."""
    path, layer = layer_of(model)
    generator = None if draw is None else torch.Generator().manual_seed(draw)
    locations = torch.tensor([forced], dtype=torch.float32) if forced else None
    with torch.no_grad(), trace(model, [f"{path}.{tap}" for tap in TAPS]) as seen:
        model(as_batch(image), generator=generator, locations=locations)
    return path_of(seen, path, layer)


def path_of(seen: Mapping[str, Reading], path: str, layer: Glimpses, batch: int = 0) -> GlimpsePath:
    """Return a layer's path over one picture of the batch, from the readings of a pass."""
    found = {tap: seen[f"{path}.{tap}"].tensor[:, batch].detach().float().cpu() for tap in TAPS}
    return GlimpsePath(
        corner=layer.retina.corners(found["location"]).numpy().astype(np.int32),
        **{tap: part.numpy() for tap, part in found.items()},
    )

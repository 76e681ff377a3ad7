"""From a net on an example to what the page shows of its transform. Loads torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz.answers import probabilities
from attnviz.data.moved import MOVED
from attnviz.layers.spatial_transformer import SpatialTransformer
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.sampling_grid import Angles, GridView
from attnviz.ui.mechanisms.spatial_transformer.many import Many, over, path_of
from attnviz.ui.shared import cache, inference, pickers

if TYPE_CHECKING:
    from attnviz.readings import Reading


def view(loaded: Loaded, example: Example) -> GridView:
    """Return what the page shows of the transform of a net on an example."""
    net, subject = loaded.net, Subject(loaded.net, example)
    many = cache.of_net(over, net, pickers.stand_in(net))
    tap = f"{path_of(loaded)}.theta"
    seen, logits = seen_of(loaded, example)
    return GridView(
        picture=example.taken_by(net),
        ink=example.ink,
        theta=seen[tap].tensor[0].numpy(),
        mean=many.mean,
        many=many.said,
        tap=tap,
        classes=net.classes,
        label=example.target,
        logits=logits[0].numpy(),
        probabilities=probabilities(logits)[0].numpy(),
        angles=_angles(many, example),
        checkpoint=net.key,
        asked=example.asked,
        origin=subject.origin(tap),
    )


def seen_of(loaded: Loaded, example: Example) -> tuple[dict[str, Reading], torch.Tensor]:
    """Return the taps of a net's spatial transformer on an example, and the logits."""
    path = path_of(loaded)
    taps = [f"{path}.{name}" for name in SpatialTransformer.taps]
    with torch.no_grad(), trace(loaded.model, taps) as seen:
        logits = inference.ask(loaded, inference.batch_of(loaded, example))
    return dict(seen), logits


def rotated_by(example: Example) -> float | None:
    """Return by how many degrees, counter-clockwise as seen, a picture was rotated; None if that is not known."""
    if isinstance(example, Picture) and example.data in MOVED:
        return float(MOVED[example.data].moves("test", np.array([example.number])).angles[0])
    return None


def _angles(many: Many, example: Example) -> Angles | None:
    fit = many.undone
    if fit is None or many.picture is None:
        return None
    return Angles(many.picture, -many.grid, fit.slope, fit.offset, rotated_by(example))

"""From a net on an example to what the glimpse player draws. Loads torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz.answers import as_batch
from attnviz.subjects import Example, Loaded, Picture
from attnviz.ui.shared import cache, pickers
from attnviz.views import looking
from attnviz.views.glimpses import GlimpseView
from attnviz.views.looking import Places

if TYPE_CHECKING:
    from attnviz.layers.glimpse import Glances

PREFERRED = 23  # a handsome 8 among the strokes, which other pages open with as well
TRIED = 40  # pictures among which one is sought that is answered correctly
FEW = 40  # pictures over which the mean path is taken


def view(loaded: Loaded, example: Example, draw: int | None, forced: Places = ()) -> GlimpseView:
    """Return what the player needs of a net on an example, as `attnviz.views.looking.view` does."""
    return looking.view(cache.single(loaded.net), example, draw, forced)


def first_right(loaded: Loaded, data: str) -> int:
    """Return the number of the first picture of a data set whose answer along draw 0 is correct; one that other pages
    open with is tried before all others. Where all of the first ones are answered wrongly, it is the first."""
    model, net = cache.single(loaded.net)
    known = pickers.Fitting(net, data, pickers.ANY, False).numbers
    tried = [*known[known == PREFERRED], *known[:TRIED]]
    for number in map(int, tried):
        picture = Picture(data, number)
        belief = looking.path_over(model, picture.taken_by(net), 0).belief[-1]
        if net.classes[int(belief.argmax())] == picture.target:
            return number
    return int(tried[0])


def _look(model: torch.nn.Module) -> Callable[..., Glances]:
    look: Callable[..., Glances] = model.look  # type: ignore[assignment]
    return look


def mean_path(loaded: Loaded, data: str) -> Places:
    """Return the mean path, (row, column) of each glimpse in -1..1 without draws, over the first pictures of a data set
    that belong to classes of the net.
    """
    model, net = cache.single(loaded.net)
    numbers = pickers.Fitting(net, data, pickers.ANY, False).numbers[:FEW]
    images = np.stack([Picture(data, int(number)).taken_by(net) for number in numbers])
    with torch.no_grad():
        seen = _look(model)(as_batch(images))
    return tuple((float(row), float(column)) for row, column in seen.locations.mean(0))

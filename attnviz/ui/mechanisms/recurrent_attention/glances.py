"""Compute the contents of the glimpse player from a net and an example. Loads torch."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from attnviz.answers import as_batch
from attnviz.layers.glimpse import Glances
from attnviz.subjects import Example, Loaded, Picture, net
from attnviz.ui.shared import cache, home_picture, pickers
from attnviz.views import looking
from attnviz.views.glimpses import GlimpseView, layer_of
from attnviz.views.looking import Places

PREFERRED = 23  # a well-drawn 8 in `strokes`, also the first picture of other pages
TRIED = 40  # pictures searched for one that is answered correctly
FEW = 40  # pictures over which the mean path is taken


def view(loaded: Loaded, example: Example, draw: int | None, forced: Places = ()) -> GlimpseView:
    """Return the player's contents for a net on an example: see `attnviz.views.looking.view`."""
    return looking.view(cache.single(loaded.net), example, draw, forced)


def first_right(loaded: Loaded, data: str) -> int:
    """Return the number of the first picture of a data set that is answered correctly along draw 0.

    The picture with which other pages open is tried first. If no answer is correct, it is the first one tried.
    """
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
    """Return the mean path without draws, (row, column) in -1..1 by glimpse, over pictures of the net's classes."""
    model, net = cache.single(loaded.net)
    numbers = pickers.Fitting(net, data, pickers.ANY, False).numbers[:FEW]
    images = np.stack([Picture(data, int(number)).taken_by(net) for number in numbers])
    with torch.no_grad():
        seen = _look(model)(as_batch(images))
    return tuple((float(row), float(column)) for row, column in seen.locations.mean(0))


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the sharp patches and the path over it, and only the part of the digit inside them."""
    model = net(shown["model"]).load().model  # in single precision, as it was trained
    corners = looking.path_over(model, image, None).corner[:, 0]  # (glimpse, 2) of the sharp patches
    size = layer_of(model)[1].retina.size
    left = home_picture.grey(image[..., 0])
    for corner in corners:
        home_picture.outline(left, image.shape[:2], (int(corner[0]), int(corner[1])), size, 1)
    home_picture.path(left, image.shape[:2], [(row + size / 2, column + size / 2) for row, column in corners])
    seen = np.zeros(image.shape[:2], bool)
    for row, column in corners:
        seen[max(row, 0) : max(row + size, 0), max(column, 0) : max(column + size, 0)] = True
    return left, home_picture.grey(np.where(seen, image[..., 0], 0))

"""The importance of each place of a picture, in several ways: attention, the Jacobian, and the effect of erasing.

The places are squares of a picture, about `PLACES` of them, so that maps of any resolution can be ranked against one
another (`attnviz.measures.agreement`). A larger value always means that a place is more important.

Source: attention next to gradients and leave-one-out: "Attention is not Explanation", Jain and Wallace, 2019,
https://arxiv.org/abs/1902.10186; input times gradient: "Not Just a Black Box", Shrikumar et al., 2016,
https://arxiv.org/abs/1605.01713.
"""

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.answers import predicted
from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.jacobian import answered, toward
from attnviz.measures.maps import maps
from attnviz.measures.token_boxes import Fill, erased
from attnviz.readings import Grid, Reading
from attnviz.roles import role_of
from attnviz.tracing import trace

PLACES = 64  # approximately: erasing takes a forward pass for each
BATCH = 64  # pictures per forward pass

ATTENTION, JACOBIAN, PRODUCT, ERASURE = "attention", "jacobian", "product", "erasure"
"""The maps: a tap of the network, if one is named; the Jacobian; the picture times it; the effect of erasing."""


@dataclass(frozen=True, eq=False)
class PlaceMaps:
    """The importance of each place of one picture.

    Args:
        answer: number of the class whose logit is used.
        logit: its logit; for two classes the log-odds in favour of the class.
        grid: the places.
        maps: name -> float64 (row, column), 0 or more: JACOBIAN, PRODUCT and ERASURE, preceded by ATTENTION if a tap is
            named.
    """

    answer: int
    logit: float
    grid: Grid
    maps: Mapping[str, Floats]


def place_maps(
    model: nn.Module, image: Tensor, tap: str = "", *, answer: int | None = None, fill: Fill = "mean"
) -> PlaceMaps:
    """Return the importance of each place of a picture, in several ways.

    Args:
        model: a model of pictures in evaluation mode, so that no picture changes the answer to another one.
        image: float (channel, row, column) in 0..1, in the model's precision.
        tap: path of a tap of attention that `lies_on_the_picture` accepts; "" for none.
        answer: number of the class; None for the predicted class.
        fill: replaces the pixels of an erased place, see `attnviz.measures.token_boxes.erased`.

    Returns:
        Each map, on the same places: the tap, as in `attended`; the absolute derivative of the logit by each number of
        the picture, and the absolute value of the picture times its derivative, both summed over channels and averaged
        over the place; and the absolute change of the logit if the place is erased.

    Raises:
        BadInput: the model has no derivative, answers step by step, or the tap does not lie on the picture.
    """
    grid = tiles(*image.shape[1:])
    none: Mapping[str, Reading] = {}
    watched: AbstractContextManager[Mapping[str, Reading]] = trace(model, [tap]) if tap else nullcontext(none)
    with watched as seen:
        logits, gradient = answered(model, image[None], answer)
    chosen = int(predicted(logits)) if answer is None else answer
    logit = float(toward(logits, torch.tensor([chosen])))
    found = {ATTENTION: attended(seen[tap], grid, *image.shape[1:])} if tap else {}
    found[JACOBIAN] = by_place(_numbers(gradient[0].abs().sum(0)), grid)
    found[PRODUCT] = by_place(_numbers((gradient[0] * image).sum(0).abs()), grid)
    found[ERASURE] = erasure(model, image, grid, chosen, fill)
    return PlaceMaps(chosen, logit, grid, found)


def tiles(rows: int, columns: int, about: int = PLACES) -> Grid:
    """Return squares of whole pixels that cover a picture of `rows` x `columns` pixels, in a number as close to `about`
    as possible.
    """
    whole = math.gcd(rows, columns)
    sides = [side for side in range(1, whole + 1) if whole % side == 0]
    side = min(sides, key=lambda one: abs(math.log(rows * columns / one**2 / about)))
    return Grid(rows // side, columns // side, stride=float(side), field=float(side))


def erasure(model: nn.Module, image: Tensor, grid: Grid, answer: int, fill: Fill = "mean") -> Floats:
    """Return the absolute change of a class's logit if a place is erased: (row, column). See `place_maps`."""
    places = grid.rows * grid.columns
    pictures = erased(image.expand(places, -1, -1, -1), torch.eye(places, dtype=torch.bool), grid, fill)
    with torch.no_grad():
        parts = [model(part) for part in (image[None], *pictures.split(BATCH))]
    logits = toward(torch.cat(parts), torch.full((places + 1,), answer))
    return _numbers((logits[1:] - logits[0]).abs()).reshape(grid.rows, grid.columns)


def lies_on_the_picture(tap: str, axes: tuple[str, ...], shape: tuple[int, ...], grid: Grid | None) -> bool:
    """Return whether a tap holds the attention at each place, which its role determines (`roles.Role.attends`)."""
    if not role_of(tap).attends:
        return False
    sizes = dict(zip(axes, shape, strict=True))
    return {"row", "column"} <= {*axes} or (grid is not None and grid.tokens == sizes.get("key"))


def attended(reading: Reading, grid: Grid, rows: int, columns: int) -> Floats:
    """Return how much a network attends to each place of a picture: (row, column), 0 or more.

    For weights and gates it is the mean over heads, channels and queries, averaged over the place. For a sampling grid
    it is the number of pixels sampled there.

    Args:
        reading: a reading of one picture, from a tap that `lies_on_the_picture`.
        grid: the places.
        rows, columns: size of the picture.
    """
    if not lies_on_the_picture(reading.path, reading.axes, tuple(reading.tensor.shape), reading.grid):
        raise BadInput(f"{reading.path} does not hold the attention at each place of the picture.")
    if role_of(reading.path).attends == "points":
        points = _numbers(reading.at(**_first(reading)).reshape(-1, 2))  # (pixel, (x, y)) in -1..1
        edges = [np.linspace(-1, 1, count + 1) for count in (grid.rows, grid.columns)]
        return np.histogram2d(points[:, 1], points[:, 0], bins=edges)[0]
    values = maps(reading, **_first(reading)).values.mean(0)
    known = reading.grid is not None and values.shape == (reading.grid.rows, reading.grid.columns)
    return by_place(values, grid, reading.grid if known else None, (rows, columns))


def by_place(values: Floats, grid: Grid, cells: Grid | None = None, size: tuple[int, int] | None = None) -> Floats:
    """Return the mean of a map over each place, where each cell counts by its share in the place.

    Args:
        values: (row, column).
        grid: the places.
        cells: where the values lie on the picture; None if they divide it evenly.
        size: rows and columns of the picture; None if the values are its pixels.

    Returns:
        (row, column) of the places; 0 if a place contains no cell.
    """
    along = []
    for axis, (count, places, pixels) in enumerate(
        zip(values.shape, (grid.rows, grid.columns), size or values.shape, strict=True)
    ):
        step, field, begin = (cells.stride, cells.field, cells.offset[axis]) if cells else (*[pixels / count] * 2, 0.0)
        starts, own = begin + step * np.arange(count), grid.stride * np.arange(places)[:, None]
        overlap = np.minimum(starts + field, own + grid.field) - np.maximum(starts, own)
        overlap = overlap.clip(min=0)
        along.append(overlap / np.maximum(overlap.sum(1, keepdims=True), 1e-300))
    return np.asarray(along[0] @ values @ along[1].T)


def _first(reading: Reading) -> dict[str, Any]:
    return {"batch": 0} if "batch" in reading.axes else {}


def _numbers(values: Tensor) -> Floats:
    return values.detach().double().cpu().numpy()

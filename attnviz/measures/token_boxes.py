"""Where tokens lie on a picture, pixel by pixel: which of them contain ink, and the picture without some of them.

"Position" counts the tokens that lie on the picture, row by row from 0. A leading token without a position has no box.
"""

from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.readings import Grid

Fill = Literal["mean", "background"]

INK = 0.0  # a position has ink if any pixel of its box is above this: the background of drawn digits is exactly 0
BACKGROUND = 0.0
_LEVELS = 255  # a model may use a faster path for intensities that are exactly k/255


def boxes(grid: Grid, rows: int, columns: int) -> Tensor:
    """Return the pixels that each position covers, which are those whose centre is in its box.

    Args:
        grid: where the tokens lie.
        rows, columns: size of the picture.

    Returns:
        bool (position, row, column), with positions row by row.
    """
    spans = []
    for pixels, places, offset in ((rows, grid.rows, grid.offset[0]), (columns, grid.columns, grid.offset[1])):
        start = offset + torch.arange(places)[:, None] * grid.stride
        centre = torch.arange(pixels) + 0.5
        spans.append((start <= centre) & (centre < start + grid.field))  # (position along it, pixel)
    covered = spans[0][:, None, :, None] & spans[1][None, :, None, :]  # (grid row, grid column, row, column)
    return covered.flatten(0, 1)


def ink(images: Tensor, grid: Grid) -> Tensor:
    """Return which positions have ink, that is any pixel above `INK`: bool (batch, position).

    Args:
        images: float (batch, channel, row, column) in 0..1.
        grid: where the tokens lie.
    """
    inked = (images > INK).any(1).flatten(1)  # (batch, pixel)
    nowhere = inked.new_zeros(len(inked), 1)
    return torch.cat([inked, nowhere], 1)[:, _pixels(grid, *images.shape[2:])].any(-1)


@lru_cache(maxsize=8)
def _pixels(grid: Grid, rows: int, columns: int) -> Tensor:
    """Return the indices of the pixels of each position: int (position, most), padded with rows * columns."""
    covered = boxes(grid, rows, columns).flatten(1)
    numbers = torch.arange(rows * columns).where(covered, rows * columns).sort(1).values
    return numbers[:, : int(covered.sum(1).max())]


def erased(images: Tensor, removed: Tensor, grid: Grid, fill: Fill = "mean") -> Tensor:
    """Return pictures without some of their tokens: float (batch, channel, row, column) in 0..1.

    Args:
        images: float (batch, channel, row, column) in 0..1.
        removed: bool (batch, position).
        grid: where the tokens lie.
        fill: replaces the pixels of their boxes: "mean", the unedited picture's mean by channel, rounded to eight bits,
            or "background", 0.
    """
    if removed.shape != (len(images), grid.rows * grid.columns):
        expected = len(images), grid.rows * grid.columns
        raise BadInput(f"Removing tokens takes one mark per position, {expected}, not {tuple(removed.shape)}.")
    if fill == "mean":
        value = (images.mean((2, 3), keepdim=True) * _LEVELS).round() / _LEVELS
    elif fill == "background":
        value = images.new_tensor(BACKGROUND)
    else:
        raise BadInput(f"Removed pixels can be replaced with the mean or the background, not with {fill!r}.")
    covers = boxes(grid, *images.shape[2:]).flatten(1).float()
    holes = (removed.float() @ covers > 0).unflatten(1, images.shape[2:])  # (batch, row, column)
    return torch.where(holes[:, None], value, images)

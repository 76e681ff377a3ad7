"""What a trace gives: readings, and the grid that says where a layer's tokens lie on the picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.errors import BadInput, TraceError, closest
from attnviz.roles import AXES


@dataclass(frozen=True)
class Grid:
    """Where the tokens of a layer lie on the input picture, row by row; row 0 is the top.

    Args:
        rows, columns: of the grid of tokens.
        prefix: leading tokens that lie nowhere, such as a class token.
        offset: (row, column) of the top left corner of the first token's box, in pixels of the input picture.
        stride: pixels from one token's box to the next, down and across.
        field: height and width of a token's box in pixels.
    """

    rows: int
    columns: int
    prefix: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    stride: float = 1.0
    field: float = 1.0

    @property
    def tokens(self) -> int:
        """How many tokens there are, those that lie nowhere included."""
        return self.prefix + self.rows * self.columns

    def box(self, token: int) -> tuple[float, float, float, float] | None:
        """Return top, left, bottom, right of a token in pixels of the input picture; None where it lies nowhere."""
        if not 0 <= token < self.tokens:
            raise BadInput(f"Token {token} is not on this grid: it has {self.tokens}, counted from 0.")
        if token < self.prefix:
            return None
        row, column = divmod(token - self.prefix, self.columns)
        top, left = self.offset[0] + row * self.stride, self.offset[1] + column * self.stride
        return top, left, top + self.field, left + self.field


@dataclass(frozen=True)
class Reading:
    """What one tap said during a trace.

    Args:
        address: path of the module + "." + name of the tap.
        tensor: the value, after the edit if there was one.
        axes: a word for each axis of the tensor.
        grid: where the tokens lie on the picture, if the layer knows.
        before: the value before the edit, None where nothing was edited.
    """

    address: str
    tensor: Tensor
    axes: tuple[str, ...]
    grid: Grid | None = None
    before: Tensor | None = None

    def size(self, axis: str) -> int:
        """Return how long an axis is."""
        return self.tensor.shape[self._position(axis)]

    def at(self, **index: int) -> Tensor:
        """Return the values at an index of some axes, such as `at(batch=0, head=3)`; the other axes stay, in order.

        Raises:
            TraceError: there is no such axis, or the index is past its end.
        """
        chosen: list[int | slice] = [slice(None)] * len(self.axes)
        for axis, place in index.items():
            if not -self.size(axis) <= place < self.size(axis):
                raise TraceError(f"{self.address}: {axis} {place} was asked for, there are {self.size(axis)}.")
            chosen[self._position(axis)] = place
        return self.tensor[tuple(chosen)]

    def _position(self, axis: str) -> int:
        if axis not in self.axes:
            raise TraceError(f"{self.address} has no axis {axis!r}. {closest(axis, self.axes)}")
        return self.axes.index(axis)


def axes_of(address: str, axes: str, tensor: Tensor) -> tuple[str, ...]:
    """Return the words of an axes string, one for each axis of a tensor.

    Raises:
        TraceError: too many or too few for the shape, one twice, or one that `roles.AXES` does not have.
    """
    words, shape = tuple(axes.split()), tuple(tensor.shape)
    if len(words) != len(shape) or len(set(words)) != len(words) or not set(words) <= set(AXES):
        raise TraceError(
            f"{address}: the axes {axes!r} must be {len(shape)} different words for the shape {shape}, "
            f"out of: {', '.join(AXES)}."
        )
    return words


def stacked(visits: Sequence[Reading], per: str) -> Reading:
    """Return the readings of a tap that was visited several times as one, along a first axis that counts the visits."""
    first = visits[0]
    befores = [visit.before for visit in visits if visit.before is not None]
    tensor = torch.stack([visit.tensor for visit in visits])
    before = torch.stack(befores) if befores else None
    return Reading(first.address, tensor, (per, *first.axes), first.grid, before)

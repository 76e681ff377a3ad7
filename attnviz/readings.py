"""Readings: the values that a trace keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import SupportsIndex

import torch
from torch import Tensor

from attnviz.errors import TraceError, closest
from attnviz.grids import Grid as Grid
from attnviz.roles import AXES

Places = SupportsIndex | range | slice

_TOKENS = ("query", "key", "token")  # the axes whose tokens may have a position on the picture


@dataclass(frozen=True)
class Reading:
    """The value of one tap during a trace.

    Args:
        path: the tap path, which is the module's path, a dot, and the tap's name.
        tensor: the value, after the edit if there was one.
        axes: one word per axis of the tensor.
        grid: the positions of the tokens on the picture, or None if the layer does not know them.
        before: the value before the edit, or None if nothing was edited.
    """

    path: str
    tensor: Tensor
    axes: tuple[str, ...]
    grid: Grid | None = None
    before: Tensor | None = None

    def size(self, axis: str) -> int:
        """Return the length of an axis."""
        return self.tensor.shape[self._position(axis)]

    def at(self, **index: Places | tuple[int, int]) -> Tensor:
        """Return the values at an index along some axes, such as `at(batch=0, head=range(3, 6))`.

        Args:
            index: axis -> an index, counted from 0 or backwards from -1, or several as a `range` or `slice`; for tokens
                with a position on the picture, also (row, column).

        Returns:
            A tensor without the axes that were indexed by a single number; the others keep their order.

        Raises:
            TraceError: there is no such axis, or an index is empty or out of range.
        """
        return self._taken(self.tensor, self._tokens(index))

    def part(self, **index: Places | tuple[int, int]) -> "Reading":
        """Return the reading of a part, selected as in `at`, with the remaining axes."""
        chosen = self._tokens(index)
        gone = {axis for axis, places in chosen.items() if not isinstance(places, range | slice)}
        return replace(
            self,
            tensor=self._taken(self.tensor, chosen),
            axes=tuple(axis for axis in self.axes if axis not in gone),
            before=None if self.before is None else self._taken(self.before, chosen),
        )

    def _tokens(self, index: Mapping[str, Places | tuple[int, int]]) -> dict[str, Places]:
        """Return an index in which cells are replaced by the numbers of their tokens."""
        found: dict[str, Places] = {}
        for axis, places in index.items():
            if not isinstance(places, tuple):
                found[axis] = places
            elif axis in _TOKENS and len(places) == 2 and all(isinstance(one, SupportsIndex) for one in places):
                found |= self._cell(axis, places)
            else:
                cell = ", or (row, column)" if axis in _TOKENS else ""
                raise TraceError(
                    f"{self.path}: {axis} must be a whole number, a range or a slice{cell}, not {places!r}."
                )
        return found

    def _cell(self, axis: str, cell: tuple[int, int]) -> dict[str, int]:
        """Return the index of the token in a cell, (row, column)."""
        if self.grid is None or self.size(axis) != self.grid.tokens:
            raise TraceError(f"{self.path}: the positions of its tokens are unknown, so {axis} must be a number.")
        return {axis: self.grid.token(*cell)}

    def _taken(self, tensor: Tensor, index: Mapping[str, Places]) -> Tensor:
        chosen: list[int | slice] = [slice(None)] * len(self.axes)
        for axis, places in index.items():
            position = self._position(axis)
            found = place_or_range(f"{self.path}: {axis}", places, self.size(axis))
            if isinstance(found, int):
                chosen[position] = found
            elif found.step > 0:
                chosen[position] = slice(found.start, found.stop, found.step)
            else:
                tensor = tensor.index_select(position, torch.tensor(found, device=tensor.device))
        return tensor[tuple(chosen)]

    def _position(self, axis: str) -> int:
        if axis not in self.axes:
            raise TraceError(f"{self.path} has no axis {axis!r}. {closest(axis, self.axes)}")
        return self.axes.index(axis)


def place_or_range(what: str, places: Places, size: int) -> int | range:
    """Return a checked index into an axis of the given size: a number, or a range of numbers, from 0. Raise TraceError,
    which describes the axis as `what`, if the index is invalid or out of range.
    """
    if isinstance(places, slice):
        ends = [end for end in (places.start, places.stop) if end is not None]
        if all(type(end) is int and -size <= end <= size for end in ends):
            found = range(*places.indices(size))
            if found:
                return found
    elif isinstance(places, range):
        if places and min(places) >= 0 and max(places) < size:
            return places
    elif isinstance(places, SupportsIndex) and not isinstance(places, bool):
        if -size <= int(places) < size:
            return int(places)
    else:
        raise TraceError(f"{what} must be a whole number, a range or a slice, not {places!r}.")
    raise TraceError(f"{what} {places} does not exist; there are {size}.")


def axes_of(path: str, axes: str, tensor: Tensor) -> tuple[str, ...]:
    """Return the words of an axes string, one for each axis of a tensor. Raise TraceError if their number is wrong, or
    a word occurs twice or is not in `roles.AXES`.
    """
    words, shape = tuple(axes.split()) if isinstance(axes, str) else (), tuple(tensor.shape)
    if (
        not isinstance(axes, str)
        or len(words) != len(shape)
        or len(set(words)) != len(words)
        or not set(words) <= set(AXES)
    ):
        raise TraceError(
            f"{path}: the axes {axes!r} must be {len(shape)} different words for the shape {shape}, "
            f"out of: {', '.join(AXES)}; register_axis in attnviz.roles adds one."
        )
    return words


def stacked(visits: Sequence[Reading], per: str) -> Reading:
    """Return the readings of several visits to a tap as one reading, with a new first axis that counts the visits."""
    first = visits[0]
    befores = [visit.before for visit in visits if visit.before is not None]
    tensor = torch.stack([visit.tensor for visit in visits])
    before = torch.stack(befores) if befores else None
    return Reading(first.path, tensor, (per, *first.axes), first.grid, before)

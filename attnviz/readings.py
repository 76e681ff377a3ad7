"""What a trace gives: readings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import SupportsIndex

import torch
from torch import Tensor

from attnviz.errors import TraceError, closest
from attnviz.grids import Grid as Grid
from attnviz.roles import AXES

Places = SupportsIndex | range | slice

_TOKENS = ("query", "key", "token")  # the axes whose places may lie on the picture


@dataclass(frozen=True)
class Reading:
    """The value of one tap during a trace.

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

    def at(self, **index: Places | tuple[int, int]) -> Tensor:
        """Return the values at an index of some axes, such as `at(batch=0, head=range(3, 6))`.

        Args:
            index: axis -> a place, counted from 0 or backwards from -1, or several as a `range` or `slice`; of
                tokens that lie on the picture also (row, column).

        Returns:
            The axes that are indexed by one place are gone; the others stay, in order.

        Raises:
            TraceError: there is no such axis, or the index holds no place or one past its end.
        """
        return self._taken(self.tensor, self._tokens(index))

    def part(self, **index: Places | tuple[int, int]) -> "Reading":
        """Return the reading of a part only, as `at` chooses it, with the axes that are left."""
        chosen = self._tokens(index)
        gone = {axis for axis, places in chosen.items() if not isinstance(places, range | slice)}
        return replace(
            self,
            tensor=self._taken(self.tensor, chosen),
            axes=tuple(axis for axis in self.axes if axis not in gone),
            before=None if self.before is None else self._taken(self.before, chosen),
        )

    def _tokens(self, index: Mapping[str, Places | tuple[int, int]]) -> dict[str, Places]:
        """Return an index with numbers of tokens in place of cells."""
        found: dict[str, Places] = {}
        for axis, places in index.items():
            if not isinstance(places, tuple):
                found[axis] = places
            elif axis in _TOKENS and len(places) == 2 and all(isinstance(one, SupportsIndex) for one in places):
                found |= self._cell(axis, places)
            else:
                cell = ", or (row, column)" if axis in _TOKENS else ""
                raise TraceError(
                    f"{self.address}: {axis} must be a whole number, a range or a slice{cell}, not {places!r}."
                )
        return found

    def _cell(self, axis: str, cell: tuple[int, int]) -> dict[str, int]:
        """Return the index of the token that lies in a cell, (row, column)."""
        if self.grid is None or self.size(axis) != self.grid.tokens:
            raise TraceError(f"{self.address}: where its tokens lie is not known, so {axis} must be a number.")
        return {axis: self.grid.token(*cell)}

    def _taken(self, tensor: Tensor, index: Mapping[str, Places]) -> Tensor:
        chosen: list[int | slice] = [slice(None)] * len(self.axes)
        for axis, places in index.items():
            position = self._position(axis)
            found = place_or_range(f"{self.address}: {axis}", places, self.size(axis))
            if isinstance(found, int):
                chosen[position] = found
            elif found.step > 0:
                chosen[position] = slice(found.start, found.stop, found.step)
            else:
                tensor = tensor.index_select(position, torch.tensor(found, device=tensor.device))
        return tensor[tuple(chosen)]

    def _position(self, axis: str) -> int:
        if axis not in self.axes:
            raise TraceError(f"{self.address} has no axis {axis!r}. {closest(axis, self.axes)}")
        return self.axes.index(axis)


def place_or_range(what: str, places: Places, size: int) -> int | range:
    """Return an index of an axis of a size, checked: one place, or a range of places from 0 on; TraceError, with what
    is indexed in words, where it is no place, or one past the end.
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


def axes_of(address: str, axes: str, tensor: Tensor) -> tuple[str, ...]:
    """Return the words of an axes string, one for each axis of a tensor; TraceError where there are too many or too
    few, one twice, or one that `roles.AXES` does not have.
    """
    words, shape = tuple(axes.split()) if isinstance(axes, str) else (), tuple(tensor.shape)
    if (
        not isinstance(axes, str)
        or len(words) != len(shape)
        or len(set(words)) != len(words)
        or not set(words) <= set(AXES)
    ):
        raise TraceError(
            f"{address}: the axes {axes!r} must be {len(shape)} different words for the shape {shape}, "
            f"out of: {', '.join(AXES)}; register_axis in attnviz.roles adds one."
        )
    return words


def stacked(visits: Sequence[Reading], per: str) -> Reading:
    """Return the readings of a tap that was visited several times as one, along a first axis that counts the visits."""
    first = visits[0]
    befores = [visit.before for visit in visits if visit.before is not None]
    tensor = torch.stack([visit.tensor for visit in visits])
    before = torch.stack(befores) if befores else None
    return Reading(first.address, tensor, (per, *first.axes), first.grid, before)

"""Where the tokens of a captured call lie in a view, and which of them attend to which. Importing this loads torch.

In most layers every token attends to every token. Within windows a token attends to the tokens of its window, and the
padding of windows comes first in the view, among the tokens without a position. Queries that are not tokens of the
picture (the queries of a detector, a pooling token) attend to its keys. They come first too, and the keys themselves
attend to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.grids import Grid

if TYPE_CHECKING:
    from attnviz.capture.call import Call
    from attnviz.capture.places import Both, Places


@dataclass(frozen=True, eq=False)
class Lies:
    """The mapping from the tokens of a call to those of a view.

    Args:
        grid: grid of the view.
        order: the tokens of the call in the order of the view, those without a position first; if only some attend,
            (key,) or (window, key), the index in the view of each key.
        some: the tokens that attend (query,), and the tokens that each attends to (query, key); None if all do.
        names: names of the tokens without a position.
    """

    grid: Grid
    order: Tensor
    some: tuple[Tensor, Tensor] | None = None
    names: tuple[str, ...] = ()

    def rows(self, scores: Tensor) -> Tensor:
        """Return scores for the queries of `some`, (head, query, key), from captured ones of that shape or (window,
        head, query, key)."""
        return scores if scores.ndim == 3 else scores.transpose(0, 1).flatten(1, 2)

    def of_queries(self, values: Tensor) -> Tensor:
        """Return values per query, (head, query), as values per token; 0 for tokens that do not attend."""
        if self.some is None:
            return values
        found = values.new_zeros(len(values), self.grid.tokens)
        found[:, self.some[0]] = values
        return found

    def of_keys(self, values: Tensor | None, heads: int) -> Tensor:
        """Return captured values per key as (head, token), with NaN for missing ones."""
        found = torch.full((heads, self.grid.tokens), torch.nan, dtype=torch.float64)
        if values is None:
            return found
        if self.some is None:
            return values.expand(heads, -1)[:, self.order].contiguous()
        found[:, self.order.flatten()] = values.transpose(0, 1).flatten(1) if values.ndim == 3 else values
        return found

    def received(self, weights: Tensor) -> Tensor:
        """Return the mean weight that each token receives from the queries that attend to it, (head, token)."""
        if self.some is None:
            return weights.mean(1)
        attended = self.some[1].flatten()
        total = weights.new_zeros(len(weights), self.grid.tokens).index_add_(1, attended, weights.flatten(1))
        return total / attended.bincount(minlength=self.grid.tokens).clamp_min(1)


def lies_of(path: str, call: Call, both: Both | None, grid: tuple[int, int] | None, pixels: Tensor | None) -> Lies:
    """Return where the tokens of a captured call lie, from what was found about its queries and keys, or from the
    `grid` of tokens if the model does not reveal it. BadInput if neither is known.

    `path` is for error messages; `pixels`, (colour, row, column), are the model's input.
    """
    keys, queries = (None, None) if both is None else (both.key, both.query)
    if call.layout.size("window") > 1:
        return _windows(path, queries, keys)
    if grid is not None:
        keys = _given(path, call.keys, grid, pixels)
        queries = keys if call.queries == call.keys else None
    if keys is None:
        raise BadInput(f"{path}: the positions of its tokens on the picture were not found; give grid=(rows, columns).")
    order = _order(path, keys.cells[0])
    if queries is None:
        return _apart(call, keys, order)
    if queries.cells != keys.cells:
        raise BadInput(f"{path}: its queries lie on another grid than its keys, which is not drawn.")
    return Lies(keys.grid, torch.tensor(order), None, _named(keys.grid.prefix))


def _given(path: str, tokens: int, grid: tuple[int, int], pixels: Tensor | None) -> Places:
    from attnviz.capture.places import Places

    prefix = tokens - grid[0] * grid[1]
    if prefix < 0:
        raise BadInput(f"{path}: a grid of {grid[0]} x {grid[1]} has more cells than the layer's {tokens} tokens.")
    step = 1.0 if pixels is None else pixels.shape[-2] / grid[0]
    cells = (*[-1] * prefix, *range(grid[0] * grid[1]))
    return Places(Grid(*grid, prefix=prefix, stride=step, field=step), (cells,))


def _named(count: int) -> tuple[str, ...]:
    """Return names for a model's own tokens without a position, numbered if there are several."""
    return ("class token",) if count == 1 else tuple(f"token {number + 1}" for number in range(count))


def _order(path: str, cells: tuple[int, ...]) -> list[int]:
    """Return the tokens in the order of a view."""
    nowhere = [token for token, cell in enumerate(cells) if cell < 0]
    there = sorted((cell, token) for token, cell in enumerate(cells) if cell >= 0)
    _fills(path, [cell for cell, _ in there])
    return [*nowhere, *(token for _, token in there)]


def _fills(path: str, cells: list[int]) -> None:
    if cells != [*range(len(cells))]:
        raise BadInput(f"{path}: its tokens do not fill a grid, one in each cell, so they cannot be drawn as a map.")


def _apart(call: Call, keys: Places, order: list[int]) -> Lies:
    """Return the tokens of a view in which queries without a position come before the keys."""
    places = torch.empty(call.keys, dtype=torch.long)
    places[torch.tensor(order)] = torch.arange(call.keys) + call.queries
    some = torch.arange(call.queries), places.expand(call.queries, -1)
    queries = (f"query {number + 1}" for number in range(call.queries))
    nowhere = call.queries + sum(cell < 0 for cell in keys.cells[0])
    return Lies(replace(keys.grid, prefix=nowhere), places, some, (*queries, *_named(nowhere - call.queries)))


def _windows(path: str, queries: Places | None, keys: Places | None) -> Lies:
    if keys is None or queries is None:
        raise BadInput(f"{path}: the positions of the tokens in its windows were not found.")
    if queries.cells != keys.cells:
        raise BadInput(f"{path}: its queries lie on another grid than its keys, which is not drawn.")
    cells = torch.tensor(keys.cells)
    padding = cells < 0
    _fills(path, sorted(cells[~padding].tolist()))
    nowhere = int(padding.sum())
    tokens = cells + nowhere
    tokens[padding] = torch.arange(nowhere)
    attended = tokens[:, None].expand(-1, tokens.shape[1], -1).flatten(0, 1)
    names = tuple(f"padding {number + 1}" for number in range(nowhere))
    return Lies(replace(keys.grid, prefix=nowhere), tokens, (tokens.flatten(), attended), names)

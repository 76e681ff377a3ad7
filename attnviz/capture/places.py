"""Where the tokens of a captured call lie on the picture, found by what the model does and not by names.

With every attention set to zero tokens cannot mix. Then what is changed in one part of the picture changes the queries
and keys that lie there, and no others: a token lies where its query answers to a stripe of noise, and one that answers
to no noise, such as a class token or an object query, lies nowhere.

Four passes are enough where the tokens are a plain raster: one of the picture as it is; one with noise everywhere,
which tells who lies on the picture at all; one stripe across and one down, which tell whether the raster that their
number suggests is right. Where it is not, the picture as it is goes through once more, which tells a model that
shuffles its tokens at random; and where that is not the reason (but windows, shifts, padding, columns before rows),
every stripe is tried.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, prod
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnviz.capture.answers import Answers, Passes
from attnviz.capture.call import Call
from attnviz.errors import BadInput
from attnviz.grids import Grid

MOST_STRIPES = 96
Said = Callable[[int, int], None]


@dataclass(frozen=True)
class Places:
    """Where the tokens of one call lie.

    Args:
        grid: of all its windows together.
        cells: window -> token -> the cell of the grid, counted row by row; -1 for a token that lies nowhere.
    """

    grid: Grid
    cells: tuple[tuple[int, ...], ...]

    def find(self, row: int, column: int) -> tuple[int, int]:
        """Return the window and the token of a cell.

        Raises:
            BadInput: there is no such cell, or no token lies there.
        """
        cell = self.grid.token(row, column) - self.grid.prefix
        for window, tokens in enumerate(self.cells):
            if cell in tokens:
                return window, tokens.index(cell)
        raise BadInput(f"No token of this layer lies at ({row}, {column}).")


class Both(NamedTuple):
    """Where the queries of a call lie, and where its keys lie; None for tokens that lie on no picture."""

    query: Places | None
    key: Places | None


def places_of(
    model: nn.Module,
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    calls: Mapping[str, Call],
    said: Said | None = None,
) -> dict[str, Both]:
    """Find where the tokens of all calls lie.

    Args:
        model, arguments, named: what was called, and with what; its first picture is used.
        calls: that were captured.
        said: called with how many passes are done, of how many.

    Returns:
        For each call its places; without an entry where tokens cannot be told apart by place.
    """
    passes = Passes(model, arguments, named, calls)
    if passes.picture is None:
        return {}
    height, width = passes.picture.shape[-2:]
    clean = passes.answers()
    everywhere = clean.changes(passes.answers(slice(None), slice(None)))
    found, open_ = _by_raster(passes, clean, everywhere)
    if open_:
        if not clean.same_as(passes.answers()):
            return {}  # the order of the tokens is drawn anew in each pass
        most = max(int(everywhere[key].sum()) for key in open_)
        side = (height * width / max(most, 1)) ** 0.5
        rows, columns = (max(2, min(round(size / side), MOST_STRIPES)) for size in (height, width))
        profiles = _profiles(passes, clean, rows, columns, said)
        for key in open_:
            down, across = (torch.stack([one[key] for one in side]) for side in profiles)
            found[key] = _located(down, across, everywhere[key], (height, width))
    queries = {key for key, _ in found}
    return {key: Both(found.get((key, "query")), _keys(found, key)) for key in queries}


def _keys(found: Mapping[tuple[str, str], Places | None], key: str) -> Places | None:
    return found.get((key, "key"))


def _by_raster(
    passes: Passes, clean: Answers, everywhere: Mapping[tuple[str, str], Tensor]
) -> tuple[dict[tuple[str, str], Places | None], list[tuple[str, str]]]:
    """Return what two stripes settle, and what they leave open."""
    assert passes.picture is not None
    height, width = passes.picture.shape[-2:]
    found: dict[tuple[str, str], Places | None] = {}
    grids: dict[tuple[str, str], tuple[int, int]] = {}
    for key, changed in everywhere.items():
        count = int(changed.sum())
        if not count:
            found[key] = None
        elif changed.shape[0] == 1 and (grid := raster(count, height, width)):
            grids[key] = grid
    finest = max(grids.values(), key=prod, default=(1, 1))
    row, column = (int(0.55 * finest[0]) + 0.5) / finest[0], (int(0.3 * finest[1]) + 0.5) / finest[1]
    rows = clean.sizes(passes.answers(_band(row, height, finest[0]), slice(None)))
    columns = clean.sizes(passes.answers(slice(None), _band(column, width, finest[1])))
    for key, grid in grids.items():
        there = everywhere[key][0]
        down, across = rows[key][0][there].reshape(grid), columns[key][0][there].reshape(grid)
        if _answers(down.mean(1), int(row * grid[0])) and _answers(across.mean(0), int(column * grid[1])):
            cells = torch.full(there.shape, -1)
            cells[there] = torch.arange(prod(grid))
            found[key] = Places(_grid(grid, there, (height, width)), (tuple(cells.tolist()),))
    return found, [key for key in everywhere if key not in found]


def _band(centre: float, size: int, cells: int) -> slice:
    """Return the middle third of a cell, in pixels."""
    third = size / cells / 3
    start = int(centre * size - third / 2)
    return slice(start, max(start + 1, round(start + third)))


def _answers(lines: Tensor, expected: int) -> bool:
    """Say whether the line that was expected answers most, its neighbours perhaps a little, and the others hardly."""
    near = lines[max(0, expected - 1) : expected + 2].sum()
    return len(lines) > 3 and int(lines.argmax()) == expected and bool(near >= 0.8 * lines.sum())


def raster(tokens: int, height: int, width: int) -> tuple[int, int] | None:
    """Return the rows and columns of a raster of so many tokens whose cells are about square."""
    fits = [(rows, tokens // rows) for rows in range(1, tokens + 1) if tokens % rows == 0]
    best = min(fits, key=lambda grid: abs(log(height / grid[0] * grid[1] / width)))
    return best if abs(log(height / best[0] * best[1] / width)) < log(1.3) else None


def _profiles(
    passes: Passes, clean: Answers, rows: int, columns: int, said: Said | None
) -> tuple[list[dict[tuple[str, str], Tensor]], list[dict[tuple[str, str], Tensor]]]:
    """Return how much every token answers to each stripe across, and to each stripe down."""
    assert passes.picture is not None
    height, width = passes.picture.shape[-2:]
    down, across = [], []
    for row in range(rows):
        band = slice(row * height // rows, (row + 1) * height // rows)
        down.append(clean.sizes(passes.answers(band, slice(None))))
        if said:
            said(row + 1, rows + columns)
    for column in range(columns):
        band = slice(column * width // columns, (column + 1) * width // columns)
        across.append(clean.sizes(passes.answers(slice(None), band)))
        if said:
            said(rows + column + 1, rows + columns)
    return down, across


def _located(down: Tensor, across: Tensor, there: Tensor, size: tuple[int, int]) -> Places | None:
    """Return where tokens lie that answer to stripes, (stripe, window, token); None where they answer to all alike."""
    row, row_spread = _centre(down)
    column, column_spread = _centre(across)
    flat = (row_spread > 0.8 * len(down)) & (column_spread > 0.8 * len(across))
    if bool(flat[there].float().mean() > 0.5):
        return None
    row, column = row * size[0] / len(down), column * size[1] / len(across)
    found = _cells(row[there], column[there], size)
    if found is None:
        return None
    grid, order = found
    cells = torch.full(there.shape, -1)
    cells[there] = order
    return Places(_grid(grid, there[0] if len(there) == 1 else None, size), tuple(map(tuple, cells.tolist())))


def _centre(profile: Tensor) -> tuple[Tensor, Tensor]:
    """Return the centre of what tokens answer to, in stripes, and over how many stripes it spreads."""
    shares = profile.square()
    total = shares.sum(0).clamp_min(1e-30)
    places = torch.arange(len(profile), dtype=profile.dtype).view(-1, 1, 1) + 0.5
    spread = profile.sum(0).square() / total
    return (shares * places).sum(0) / total, spread


def _cells(row: Tensor, column: Tensor, size: tuple[int, int]) -> tuple[tuple[int, int], Tensor] | None:
    """Return the grid on which centres lie, and the cell of each; several tokens may lie in one cell."""
    rows, columns = _levels(row), _levels(column)
    cells = rows * (int(columns.max()) + 1) + columns
    grid = int(rows.max()) + 1, int(columns.max()) + 1
    full = len(set(cells.tolist())) == prod(grid)
    square = abs(log(size[0] / grid[0] * grid[1] / size[1])) < log(1.3)
    return (grid, cells) if full and square else None


def _levels(centres: Tensor) -> Tensor:
    """Return which level each centre is on, levels being apart by gaps that are wide beside those within a level."""
    ordered, order = centres.sort()
    gaps = ordered.diff()
    if not len(gaps) or float(gaps.max()) <= 0:
        return torch.zeros_like(order)
    ranked = gaps.sort(descending=True).values
    ratios = ranked[:-1] / ranked[1:].clamp_min(float(ranked[0]) * 1e-3)
    cut = int(ratios[: MOST_STRIPES - 1].argmax()) if len(ratios) else 0
    border = float(ranked[cut]) * 0.999
    level = torch.cat([torch.zeros(1, dtype=torch.long), (gaps >= border).long().cumsum(0)])
    found = torch.empty_like(order)
    found[order] = level
    return found


def _grid(grid: tuple[int, int], there: Tensor | None, size: tuple[int, int]) -> Grid:
    prefix = 0
    if there is not None:
        prefix = int((~there).long().cumprod(0).sum())
    step = size[0] / grid[0]
    return Grid(*grid, prefix=prefix, stride=step, field=step)

"""Find where the tokens of a captured call lie on the picture, from the model's behaviour and not from names.

With every attention set to zero, tokens cannot mix. A change in one part of the picture then changes only the queries
and keys that lie there: a token lies where its query responds to a stripe of noise. A token that responds to no noise,
such as a class token or an object query, lies nowhere.

Two passes are enough if the tokens form a plain raster: one with the unchanged picture, and one with strong noise on a
cross (a horizontal and a vertical stripe) and faint noise elsewhere. Tokens that respond at all lie on the picture, and
those that respond strongly lie on the cross; this confirms or rejects the raster that the number of tokens suggests. If
it is rejected, the unchanged picture is run again, which detects a model that shuffles its tokens at random. Then the
cross is run again, with the noise elsewhere in a separate pass. If the tokens still form no raster (because of windows,
shifts, padding, or columns before rows), every stripe is tried.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, prod
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnviz.capture.answers import NOISE, Answers, Passes, Which
from attnviz.capture.call import Call
from attnviz.errors import BadInput
from attnviz.grids import Grid

MOST_STRIPES = 96
MOST_NOWHERE = 32  # tokens without a position if a raster is suggested; finding more takes further passes
FAINT = 2e-3  # relative to the noise on the cross: too weak to hide the cross, and far above rounding
Said = Callable[[int, int], None]


@dataclass(frozen=True)
class Places:
    """The positions of the tokens of one call: the grid of all its windows together, and window -> token -> the cell,
    counted row by row; -1 for a token that lies nowhere.
    """

    grid: Grid
    cells: tuple[tuple[int, ...], ...]

    @property
    def is_even(self) -> bool:
        """Whether every cell has the same number of tokens."""
        counts = Counter(cell for tokens in self.cells for cell in tokens if cell >= 0)
        return len(counts) == self.grid.rows * self.grid.columns and len(set(counts.values())) == 1

    def find(self, row: int, column: int) -> tuple[int, int]:
        """Return the window and the token of a cell; raise BadInput if the cell does not exist or has no token."""
        cell = self.grid.token(row, column) - self.grid.prefix
        for window, tokens in enumerate(self.cells):
            if cell in tokens:
                return window, tokens.index(cell)
        raise BadInput(f"No token of this layer lies at ({row}, {column}).")


class Both(NamedTuple):
    """The positions of the queries and of the keys of a call; None for tokens that do not lie on the picture."""

    query: Places | None
    key: Places | None


def places_of(
    model: nn.Module,
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    calls: Mapping[str, Call],
    said: Said | None = None,
) -> dict[str, Both]:
    """Return the positions of each captured call's tokens on the first picture of the model's input. Calls whose tokens
    cannot be distinguished by position have no entry.

    `said` is called with the number of passes done and their total.
    """
    passes = Passes(model, arguments, named, calls)
    if passes.picture is None:
        return {}
    height, width = passes.picture.shape[-2:]
    size, clean = (height, width), passes.answers()
    found, open_ = _by_cross(passes, clean, _suggested_of(clean, size), None)
    if open_:
        if not clean.same_as(passes.answers()):
            return {}  # the model draws a new token order in each pass
        everywhere = clean.changes(passes.answers(torch.ones(size)))
        there = {which: everywhere[which] for which in open_}
        counts = {which: int(on.sum()) for which, on in there.items() if len(on) == 1 and on.any()}
        grids = {which: raster(count, *size) for which, count in counts.items()}
        again, open_ = _by_cross(passes, clean, grids, there)
        found |= again
    if open_:
        most = max(int(everywhere[key].sum()) for key in open_)
        side = (height * width / max(most, 1)) ** 0.5
        rows, columns = (max(2, min(round(size / side), MOST_STRIPES)) for size in (height, width))
        profiles = _profiles(passes, clean, rows, columns, said)
        for key in open_:
            down, across = (torch.stack([one[key] for one in side]) for side in profiles)
            found[key] = _located(down, across, everywhere[key], size)
    return {key: _both(found, key) for key, _ in found}


def place_of(
    model: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any], key: str, call: Call
) -> Both | None:
    """Find where the tokens of one call lie by two passes that end at the call; return None if these do not suffice."""
    passes = Passes(model, arguments, named, {key: call})
    if passes.picture is None:
        return None
    height, width = passes.picture.shape[-2:]
    clean = passes.answers(ends=True)
    found, open_ = _by_cross(passes, clean, _suggested_of(clean, (height, width)), None, ends=True)
    return _both(found, key) if found and not open_ else None


def _both(found: Mapping[Which, Places | None], key: str) -> Both:
    return Both(*_likely(found.get((key, "query")), found.get((key, "key"))))


def _likely(query: Places | None, key: Places | None) -> tuple[Places | None, Places | None]:
    """Drop positions in which some cells have more tokens than others, because their levels arose by chance. Keys of
    overlapping windows may lie unevenly if they share the grid of their queries."""
    query = query if query and query.is_even else None
    same = query and key and (query.grid.rows, query.grid.columns) == (key.grid.rows, key.grid.columns)
    return query, key if key and (key.is_even or same) else None


def _by_cross(
    passes: Passes,
    clean: Answers,
    grids: Mapping[Which, tuple[int, int] | None],
    there: Mapping[Which, Tensor] | None,
    ends: bool = False,
) -> tuple[dict[Which, Places | None], list[Which]]:
    """Return the positions that noise on a cross settles, and the calls that it leaves open.

    `clean` is the pass without noise. The finest of the suggested `grids` determines the width of the cross's arms.
    `there` are the tokens that lie on the picture, or None to find them with faint noise. With `ends`, the pass stops
    once all calls are known.
    """
    assert passes.picture is not None
    height, width = passes.picture.shape[-2:]
    finest = max(filter(None, grids.values()), key=prod, default=(1, 1))
    row, column = (int(0.55 * finest[0]) + 0.5) / finest[0], (int(0.3 * finest[1]) + 0.5) / finest[1]
    strength = torch.full((height, width), FAINT if there is None else 0.0)
    strength[_band(row, height, finest[0])] = 1
    strength[:, _band(column, width, finest[1])] = 1
    found: dict[Which, Places | None] = {}
    sizes = clean.sizes(passes.answers(strength, ends))
    for which, size in sizes.items() if there is None else ((one, sizes[one]) for one in there if one in sizes):
        on = size > NOISE if there is None else there[which]
        if not on.any():
            found[which] = None
            continue
        grid = raster(int(on.sum()), height, width) if len(on) == 1 else None
        if grid and _is_cross(size[on].reshape(grid), int(row * grid[0]), int(column * grid[1])):
            cells = torch.full(on[0].shape, -1)
            cells[on[0]] = torch.arange(prod(grid))
            found[which] = Places(_grid(grid, on[0], (height, width)), (tuple(cells.tolist()),))
    return found, [which for which in (sizes if there is None else there) if which not in found]


def _suggested_of(clean: Answers, size: tuple[int, int]) -> dict[Which, tuple[int, int] | None]:
    """Return the suggested rasters of the calls without windows."""
    return {which: _suggested(len(one[0]), size) for which, one in clean.sizes(clean).items() if len(one) == 1}


def _suggested(tokens: int, size: tuple[int, int]) -> tuple[int, int] | None:
    """Return the raster for the given number of tokens that leaves as few of them as possible outside."""
    grids = (raster(tokens - nowhere, *size) for nowhere in range(min(MOST_NOWHERE, tokens)))
    return next(filter(None, grids), None)


def _band(centre: float, size: int, cells: int) -> slice:
    """Return the middle third of a cell, in pixels."""
    third = size / cells / 3
    start = int(centre * size - third / 2)
    return slice(start, max(start + 1, round(start + third)))


def _is_cross(sizes: Tensor, row: int, column: int) -> bool:
    """Return whether exactly this row and column respond, their neighbours at most a little, and the others hardly."""
    cross = torch.zeros(sizes.shape, dtype=torch.bool)
    cross[row] = cross[:, column] = True
    if min(sizes.shape) < 4 or not sizes[cross].min() > 3 * sizes[~cross].median():
        return False
    beside_row, beside_column = (
        torch.tensor([abs(line - at) > 1 for line in range(lines)])
        for lines, at in zip(sizes.shape, (row, column), strict=True)
    )
    return _answers(sizes[:, beside_column].mean(1), row) and _answers(sizes[beside_row].mean(0), column)


def _answers(lines: Tensor, expected: int) -> bool:
    """Return whether the expected line responds most, its neighbours at most a little, and the others hardly."""
    near = lines[max(0, expected - 1) : expected + 2].sum()
    return int(lines.argmax()) == expected and bool(near >= 0.8 * lines.sum())


def raster(tokens: int, height: int, width: int) -> tuple[int, int] | None:
    """Return the rows and columns of a raster with this number of tokens and nearly square cells, or None."""
    fits = [(rows, tokens // rows) for rows in range(1, tokens + 1) if tokens % rows == 0]
    best = min(fits, key=lambda grid: abs(log(height / grid[0] * grid[1] / width)))
    return best if abs(log(height / best[0] * best[1] / width)) < log(1.3) else None


def _profiles(
    passes: Passes, clean: Answers, rows: int, columns: int, said: Said | None
) -> tuple[list[dict[Which, Tensor]], list[dict[Which, Tensor]]]:
    """Return how strongly every token responds to each horizontal and each vertical stripe."""
    assert passes.picture is not None
    height, width = passes.picture.shape[-2:]
    down, across = [], []
    for row in range(rows):
        strength = torch.zeros(height, width)
        strength[row * height // rows : (row + 1) * height // rows] = 1
        down.append(clean.sizes(passes.answers(strength)))
        if said:
            said(row + 1, rows + columns)
    for column in range(columns):
        strength = torch.zeros(height, width)
        strength[:, column * width // columns : (column + 1) * width // columns] = 1
        across.append(clean.sizes(passes.answers(strength)))
        if said:
            said(rows + column + 1, rows + columns)
    return down, across


def _located(down: Tensor, across: Tensor, there: Tensor, size: tuple[int, int]) -> Places | None:
    """Locate tokens by their responses to stripes, (stripe, window, token); None if they respond equally to all."""
    row, row_spread = _centre(down)
    column, column_spread = _centre(across)
    flat = (row_spread > 0.8 * len(down)) & (column_spread > 0.8 * len(across))
    if bool(flat[there].float().mean() > 0.5):
        return None
    row, column = row * size[0] / len(down), column * size[1] / len(across)
    found = _cells(row[there], column[there], size) or _blurred(row[there], column[there], size)
    if found is None:
        return None
    grid, order = found
    cells = torch.full(there.shape, -1)
    cells[there] = order
    return Places(_grid(grid, there[0] if len(there) == 1 else None, size), tuple(map(tuple, cells.tolist())))


def _centre(profile: Tensor) -> tuple[Tensor, Tensor]:
    """Return the centre of each token's response, in stripes, and the number of stripes over which it spreads."""
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


def _blurred(row: Tensor, column: Tensor, size: tuple[int, int]) -> tuple[tuple[int, int], Tensor] | None:
    """Return the raster along which centres rise line by line without distinct levels: after wide convolutions, a token
    also responds to the positions of its neighbours."""
    grid, order = raster(len(row), *size), torch.arange(len(row))
    if grid is None or min(grid) < 4:
        return None
    for centres, line in ((row, order // grid[1]), (column, order % grid[1])):
        means = torch.stack([centres[line == one].mean() for one in range(int(line[-1]) + 1)])
        if not bool((means.diff() > 0).all()) or bool((centres - means[line]).var() > 0.01 * centres.var()):
            return None
    return grid, order


def _levels(centres: Tensor) -> Tensor:
    """Return the level of each centre; gaps between levels are wide compared with those within a level."""
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

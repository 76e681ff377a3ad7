"""The maps of a view, which the viewer fills and colours while a pointer moves (`frontend/maps/attention.js`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.figures.colours import Scale, indices, scale_of
from attnviz.views.attention import LayerView

Show = Literal["weights", "scores"]
Direction = Literal["from", "to", "received"]
ScaleKind = Literal["share", "all", "map"]
Head = int | Literal["mean"]


@dataclass(frozen=True)
class Choice:
    """The choice of what to show of a view.

    Args:
        query: [row, column] from 0, [-1, i] for the i-th token without a position; None for the middle of the ink.
        heads: indices from 0, and "mean" for the mean of all heads; None for the only head, or the mean.
        show: weights, or scores before the softmax.
        direction: the query's weights for each key, its weights as a key for each query, or the mean weight of each key
            over all queries.
        scale: share (weights as multiples of an even share), all (one scale for all heads of a layer) or map (each its
            own).
        grid: rows and columns of the grid that `query` refers to; None for the grid of every layer. On a layer with
            another grid the token at the query's centre is used.
    """

    query: tuple[int, int] | None = None
    heads: tuple[Head, ...] | None = None
    show: Show = "weights"
    direction: Direction = "from"
    scale: ScaleKind = "share"
    grid: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for name, options in (("show", Show), ("direction", Direction), ("scale", ScaleKind)):
            if getattr(self, name) not in get_args(options):
                raise BadInput(f"{name}: expected one of {', '.join(get_args(options))}, not {getattr(self, name)!r}.")

    def heads_of(self, view: LayerView) -> tuple[Head, ...]:
        """Return the heads to show of a layer."""
        found = self.heads or (("mean",) if view.heads > 1 else (0,))
        for head in found:
            if head != "mean" and not 0 <= head < view.heads:
                raise BadInput(f"There is no head {head}: this layer has {view.heads}, counted from 0.")
        return found

    def token(self, view: LayerView) -> int:
        """Return the token of the query in a layer."""
        return begins(view) if self.query is None else view.token(self._on(view, self.query))

    def _on(self, view: LayerView, query: tuple[int, int]) -> tuple[int, int]:
        if self.grid is None or query[0] < 0:
            return query
        row, column = ((2 * at + 1) / (2 * size) for at, size in zip(query, self.grid, strict=True))
        return int(row * view.rows), int(column * view.columns)


def begins(view: LayerView) -> int:
    """Return the viewer's initial token: the middle of the ink, or the first token that attends."""
    found = middle(view)
    return found if view.attending is None or found in view.attending else int(view.attending[0])


def middle(view: LayerView) -> int:
    """Return the token on the ink that is nearest to the ink's centre."""
    picture = view.picture
    rows, columns = np.mgrid[: view.rows, : view.columns]
    total = picture.sum()
    centre = ((view.rows - 1) / 2, (view.columns - 1) / 2)
    if total > 0:
        centre = ((picture * rows).sum() / total, (picture * columns).sum() / total)
    far = np.hypot(rows - centre[0], columns - centre[1])
    far[picture < picture.max() / 2] = np.inf
    return view.prefix + int(far.argmin())


class Maps(NamedTuple):
    """All maps of a layer, those of the heads and then their mean: the values shown and their palette indices, both
    (head + 1, token), with the scale of each map.
    """

    values: Floats
    indices: npt.NDArray[np.int64]
    scales: Sequence[Scale]


def maps_of(view: LayerView, choice: Choice) -> Maps:
    """Return the maps of a layer, filled and coloured as in the viewer."""
    values, logs = _filled(view, choice)
    if choice.show == "weights" and choice.scale == "share":
        scale = scale_of("share")
        return Maps(values, indices(logs, scale, float(np.log(view.inside))), [scale] * len(values))
    kind = "signed" if choice.show == "scores" else "positive"
    finite = np.where(np.isfinite(values), np.abs(values), 0)
    bounds = finite.max(1) if choice.scale == "map" else np.full(len(values), finite.max())
    scales = [scale_of(kind, float(bound)) for bound in bounds]
    found = [indices(row, scale) for row, scale in zip(values, scales, strict=True)]
    return Maps(values, np.stack(found), scales)


def _filled(view: LayerView, choice: Choice) -> tuple[Floats, Floats]:
    """Return values and logarithms of the weights, each (head + 1, token)."""
    token = choice.token(view)
    if choice.direction == "received":
        found = _mean_scores(view) if choice.show == "scores" else view.received
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(view.received)
    elif choice.direction == "from":
        scores = view.scores_of(token)
        logs = scores - view.log_normaliser[:, [token]]
        found = scores if choice.show == "scores" else np.exp(logs)
    else:
        scores = view.scores_to(token)
        logs = scores - view.log_normaliser
        found = scores if choice.show == "scores" else np.exp(logs)
    mean = found.mean(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.concatenate([found, mean[None]]), np.concatenate([logs, np.log(mean)[None]])


def _mean_scores(view: LayerView) -> Floats:
    if view.attending is not None:
        found = np.full((view.heads, view.tokens), np.nan)  # remains NaN for tokens that nothing attends to
        for token in range(view.tokens):
            scores = view.scores_to(token)
            some = np.isfinite(scores[0])
            if some.any():
                found[:, token] = scores[:, some].mean(1)
        return found
    if view.scores is not None:
        means: Floats = view.scores.mean(1, dtype=np.float64)
        return means
    assert view.query is not None and view.key is not None
    mean = view.query.mean(1, dtype=np.float64) / np.sqrt(view.query.shape[-1])
    of_products: Floats = np.einsum("hs,hts->ht", mean, view.key.astype(np.float64))
    return of_products


def laid_out(view: LayerView, row: npt.NDArray[np.int64], empty: int) -> npt.NDArray[np.int64]:
    """Return values per token as laid out on a map: the grid, an empty row, and then tokens without a position."""
    below = 1 + -(-view.prefix // view.columns) if view.prefix else 0
    cells = np.full((view.rows + below) * view.columns, empty, row.dtype)
    grid = view.rows * view.columns
    cells[:grid] = row[view.prefix :]
    if view.prefix:
        start = (view.rows + 1) * view.columns
        cells[start : start + view.prefix] = row[: view.prefix]
    return cells.reshape(-1, view.columns)


def cell_of(view: LayerView, token: int) -> tuple[int, int]:
    """Return the row and column of a token on a map, as in `laid_out`."""
    if token < view.prefix:
        row, column = divmod(token, view.columns)
        return view.rows + 1 + row, column
    row, column = divmod(token - view.prefix, view.columns)
    return row, column

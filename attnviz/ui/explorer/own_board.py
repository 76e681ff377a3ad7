"""The layers of the visitor's own model on one board: the data of a layer, and the values of its dots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.subjects import Subject
from attnviz.ui.explorer import own_passes
from attnviz.ui.explorer.own_passes import OfLayer
from attnviz.ui.live.derived import View
from attnviz.views.attention import LayerView
from attnviz.views.payload import with_header

if TYPE_CHECKING:
    from attnviz.listening import Trace


def payload(subject: Subject, parameters: OfLayer) -> bytes:
    """Return a layer's payload for the viewer, with the dots' values for each head."""
    found = own_passes.payload(subject, parameters)
    return with_header(found, over=over(LayerView.unpacked(found)))


OWN_BOARD = View("own_board", OfLayer, payload, loads=False)


def over(view: LayerView) -> dict[str, Any]:
    """Return, for each head of a layer, the mean "distance" in pixels from a query on the picture to its keys there,
    the "entropy" in bits, and the weight on tokens without a position ("nowhere"), and "even": the same three for equal
    weights.

    The distance is None if the queries have no position.
    """
    prefix = view.prefix
    queries = np.arange(view.tokens) if view.attending is None else view.attending
    keys = (
        np.broadcast_to(np.arange(view.tokens), (len(queries), view.tokens)) if view.attended is None else view.attended
    )
    down, across = _steps(view)
    at = np.stack(np.divmod(np.arange(view.tokens) - prefix, view.columns), -1) * (down, across)
    there = queries >= prefix
    away = np.linalg.norm(at[queries[there], None] - at[keys[there]], axis=-1)
    inside = keys >= prefix

    def measured(weights: np.ndarray) -> tuple[float | None, float, float]:
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -np.where(weights > 0, weights * np.log2(weights), 0).sum(-1).mean()
        among = weights[there] * inside[there]
        sums = among.sum(-1)
        distance = float(((among * away).sum(-1) / sums)[sums > 0].mean()) if (sums > 0).any() else None
        return distance, float(entropy), float((weights * ~inside).sum(-1).mean())

    each = [measured(_weights(view, head, queries)) for head in range(view.heads)]
    even = measured(np.full(keys.shape, 1 / keys.shape[1]))
    names = ("distance", "entropy", "nowhere")
    found: dict[str, Any] = {name: [one[place] for one in each] for place, name in enumerate(names)}
    return {**found, "even": dict(zip(names, ((even[0] or 0.0), *even[1:]), strict=True))}


def _steps(view: LayerView) -> tuple[float, float]:
    """Return the pixels of the picture from one token to the next, down and across."""
    if view.boxes is not None:
        return view.boxes[2], view.boxes[3]
    if view.background is None:
        return 1.0, 1.0
    return view.background.shape[0] / view.rows, view.background.shape[1] / view.columns


def _weights(view: LayerView, head: int, queries: np.ndarray) -> np.ndarray:
    if view.scores is not None:
        scores = view.scores[head].astype(np.float64)
    else:
        assert view.query is not None and view.key is not None
        query, key = (one[head].astype(np.float64) for one in (view.query, view.key))
        scores = query / np.sqrt(query.shape[-1]) @ key.T
    weights: np.ndarray = np.exp(scores - view.log_normaliser[head, queries][:, None])
    return weights


def layers_of(seen: Trace, paths: Sequence[str], refused: dict[str, str]) -> list[dict[str, str | int]]:
    """Return the layers of a model for the board, in the order of the pass."""
    from attnviz.figures.captured import lies_in

    found: list[dict[str, str | int]] = []
    for number, (path, call) in enumerate(
        (path, call) for path, call in seen.captured.calls.items() if not call.refused
    ):
        one: dict[str, str | int] = {"path": path, "title": f"{number + 1}: {path or 'the model itself'}"}
        if path in paths:
            grid = lies_in(seen, path).grid
            one |= {
                "heads": call.layout.size("head"),
                "rows": grid.rows,
                "columns": grid.columns,
                "prefix": grid.prefix,
            }
        found.append({**one, "refused": refused.get(path, "")})
    return found

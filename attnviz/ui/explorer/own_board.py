"""The layers of the visitor's own model on one board: the data of a layer, also with the queries of another picture,
and the values of its dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from attnviz import subjects
from attnviz.errors import BadInput
from attnviz.subjects import Example, Subject, own
from attnviz.ui.explorer import own_passes
from attnviz.ui.explorer.own_passes import OfLayer
from attnviz.ui.live.derived import View
from attnviz.ui.shared.own_models import batch_of, running
from attnviz.views.attention import LayerView
from attnviz.views.payload import with_header

if TYPE_CHECKING:
    from attnviz.listening import Trace


def payload(subject: Subject, parameters: OfLayer) -> bytes:
    """Return a layer's payload for the viewer, with the dots' values for each head."""
    found = own_passes.payload(subject, parameters)
    answer = answers_as_last(subject)[0].get(parameters.layer)
    return with_header(found, over={**over(LayerView.unpacked(found)), "answer": answer})


OWN_BOARD = View("own_board", OfLayer, payload, loads=False)

NO_PRODUCT = (
    "The scores of this layer may not be products of queries and keys alone: its model writes them out in code of its "
    "own, adds a bias or a mask, or attends within windows. So the queries of one picture cannot be compared with the "
    "keys of another."
)


class OfQueries(OfLayer):
    """A layer, and the example whose queries meet its keys: `data` and `number` as in a request."""

    data: Annotated[str, Field(max_length=400)]
    number: Annotated[int, Field(ge=0)] = 0


def across_payload(subject: Subject, parameters: OfQueries) -> bytes:
    """Return a layer's payload with the queries of another example."""
    asking = Subject(subject.net, subjects.example(parameters.data, parameters.number))
    first, other = (LayerView.unpacked(own_passes.payload(one, parameters)) for one in (asking, subject))
    view = across(first, other)
    return with_header(view.packed(), over=over(view))


OWN_ACROSS = View("own_across", OfQueries, across_payload, loads=False)


def across(first: LayerView, other: LayerView) -> LayerView:
    """Return the view of a layer on one picture with the queries of the first; BadInput if they cannot be combined."""
    if first.query is None or other.query is None or other.key is None:
        raise BadInput(NO_PRODUCT)
    if (first.rows, first.columns, first.prefix) != (other.rows, other.columns, other.prefix):
        raise BadInput("The model takes the two pictures at different sizes, so that their tokens do not correspond.")
    query, key = (one.astype(np.float64) for one in (first.query, other.key))
    scores = query / np.sqrt(query.shape[-1]) @ key.swapaxes(-1, -2)
    normaliser = np.logaddexp.reduce(scores, -1)
    return replace(
        other,
        query=first.query,
        log_normaliser=normaliser,
        received=np.exp(scores - normaliser[..., None]).mean(1),
        origin={**other.origin, "queries of": first.origin["image"]},
    )


def parameters_of(layer: str, queries: Example | None) -> dict[str, Any]:
    """Return the parameters of a layer's view, with the queries of an example if it is not None."""
    return {"layer": layer} if queries is None else {"layer": layer, **queries.asked}


NO_CLASSES = "the model's output is not one number for each class"


def answers_as_last(subject: Subject) -> tuple[dict[str, tuple[str, float]], str]:
    """Return the class and its probability if each layer were the last, by path; or none, and the reason."""
    mine, example = own.own(), subject.example

    def compute() -> tuple[dict[str, tuple[str, float]], str]:
        from attnviz.capture.as_last import as_last

        seen, classes = own_passes.passed(example), subject.net.classes
        if own_passes.answer_of(seen.output, classes) is None:
            return {}, NO_CLASSES
        try:
            with running(mine):
                outputs = as_last(mine.model, batch_of(mine, example.picture), seen.captured.calls)
        except BadInput as error:
            return {}, str(error)
        answers = {path: own_passes.answer_of(output, classes) for path, output in outputs.items()}
        return {path: answer for path, answer in answers.items() if answer is not None}, ""

    return own_passes.kept_for(example, "as last", compute)


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


def without_products(seen: Trace, paths: Sequence[str]) -> dict[str, str]:
    """Return path -> reason for the layers whose queries cannot meet the keys of another picture."""
    from attnviz.figures.captured import is_product, lies_in

    return {path: NO_PRODUCT for path in paths if not is_product(seen.captured.calls[path], lies_in(seen, path))}


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

"""Trials of a search as lines across parallel axes: the data for `frontend/parallel_coordinates/`.

The last axis is the search's objective. A position along an axis is 0..1 from bottom to top. Trials with the same
choice are spread a little around it, in the order of their values, so that they can be distinguished.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attnviz.recipes.axes import Axis, Value
from attnviz.ui.components import url_view
from attnviz.views.payload import pack
from attnviz.views.url_fields import Field, Fields
from attnviz.work.search.trials import Found, written

FIELDS = Fields(Field("brush", "text", ""), Field("trial", "number", None))
"""The view: the brushed ranges, such as "heads:0.5-1;accuracy:0.9-1", and the chosen trial."""

BESIDE = Fields(Field("beside_brush", "text", ""), Field("beside_trial", "number", None))
"""The view of a second search on the page."""

SPREAD = 0.04  # vertical jitter, as a fraction of an axis


def packed(found: Found, ends: tuple[float, float], origin: Mapping[str, str | int | float]) -> bytes:
    """Return the payload of finished trials; `ends` are the lowest and highest value of the last axis, the same for
    searches that are compared.
    """
    trials = found.finished
    low, high = ends
    places = np.full((len(trials), len(found.axes) + 1), math.nan)
    for column, axis in enumerate(found.axes):
        own = [trial.params.get(axis.name) for trial in trials]
        places[:, column] = [math.nan if value is None else axis.place(value) for value in own]
        if axis.choices:
            places[:, column] = spread(places[:, column], [trial.value for trial in trials])
    values = np.array([math.nan if trial.value is None else trial.value for trial in trials])
    places[:, -1] = (values - low) / (high - low)
    header = {
        "title": found.title,
        "measure": found.measure,
        "better": found.better,
        "axes": [*map(_described, found.axes), {
            "name": found.measure, "title": found.measure, "choices": False, "ticks": _ticks(low, high),
        }],
        "trials": [
            {
                "number": trial.number, "why": trial.why if trial.state == "pruned" else "",
                "words": [written(trial.params[axis.name]) if axis.name in trial.params else "" for axis in found.axes],
            }
            for trial in trials
        ],
        "origin": dict(origin),
    }  # fmt: skip
    return pack(header, {"places": places, "values": values})


def spread(places: np.ndarray, values: list[float | None]) -> np.ndarray:
    """Return positions (trial,) along an axis of choices, with trials of one choice spread in the order of values."""
    apart = places.copy()
    for place in np.unique(places[~np.isnan(places)]):
        (which,) = np.nonzero(places == place)
        ordered = sorted(which, key=lambda trial: (values[trial] is not None, values[trial] or 0.0))
        if len(ordered) > 1:
            apart[ordered] = place + np.linspace(-SPREAD, SPREAD, len(ordered))
    return apart


def _described(axis: Axis) -> dict[str, Any]:
    if axis.choices:
        shown: list[Value] = list(axis.ordered)
    else:
        low, high = map(float, axis.ends)
        inner = math.sqrt(low * high) if axis.log else (low + high) / 2
        shown = [axis.ends[0], round(inner) if axis.whole else inner, axis.ends[1]]
    ticks = [{"place": axis.place(value), "words": written(value)} for value in shown]
    return {"name": axis.name, "title": axis.title, "choices": bool(axis.choices), "ticks": ticks}


def _ticks(low: float, high: float) -> list[dict[str, Any]]:
    return [{"place": place, "words": f"{low + place * (high - low):.3f}"} for place in (0.0, 0.5, 1.0)]


def parallel_coordinates(
    data: bytes, *, key: str, state: Mapping[str, Any], on_change: Callable[[], None], fields: Fields = FIELDS
) -> dict[str, Any] | None:
    """Draw the trials. `fields` are the view's two fields, for the brushes and for the trial."""
    return url_view.draw("parallel_coordinates", data, fields, key=key, state=state, on_change=on_change)

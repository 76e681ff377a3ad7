"""Maps that the browser computes while a hand moves: what `frontend/moving_maps.js` draws.

Nothing that follows a hand goes to the server and back: what maps are computed from is sent once. Where the hand has
come to rest is handed back, so that it can stand in the address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.ui.components import component
from attnviz.ui.payload import pack

Origin = Mapping[str, str | int | float]


def turn_weight(
    picture: np.ndarray,
    bias: float,
    *,
    key: str,
    start: float,
    limit: float,
    at: float | None,
    origin: Origin,
    on_change: Callable[[], None],
) -> None:
    """Draw w * picture + bias, on a scale of its own and truly, with a handle for w.

    Args:
        picture: (row, column), as it enters the layer: standardised.
        bias: b.
        key: the component's name in this page.
        start: w where nobody has moved the handle.
        limit: the handle goes from -limit to limit.
        at: where the address says that the handle stands, or None.
        origin: stands in every export.
        on_change: called when the handle has come to rest; `rested` gives the place there.
    """
    most = limit * float(np.abs(picture).max()) + abs(bias)
    panes = [
        _pane("On its own scale", ["w × intensity + b"], "own", scale="map", note="its own scale, whatever w is"),
        _pane(
            "Truly", ["w × intensity + b"], "signed", scale="pictures", bounds=[-most, most], fixed=True,
            note="one scale for every w",
        ),
    ]  # fmt: skip
    stops = [["as learnt", start], ["0", 0.0], ["turned around", -start]]
    handle = {"title": "w", "low": -limit, "high": limit, "step": 0.01, "stops": stops}
    header = {"kind": "weight", "bias": bias, "handle": handle, "start": start, "at": at, "panes": panes}
    _draw(header, {"picture": picture}, picture.shape, key, origin, on_change)


def temperature(
    query: np.ndarray,
    keys: np.ndarray,
    names: Sequence[str],
    places: Sequence[int],
    picture: np.ndarray,
    *,
    key: str,
    stops: Sequence[tuple[str, float]],
    low: float,
    high: float,
    at: float | None,
    origin: Origin,
    on_change: Callable[[], None],
) -> None:
    """Draw the weights of some queries of one head, with a handle for what their scores are divided by.

    Args:
        query: (query, size), those that are shown.
        keys: (token, size)
        names: of the queries; under a tile stands what comes before the first comma.
        places: their tokens, row by row from 0.
        picture: (row, column) intensities 0..1: the edge of its ink is drawn.
        key: the component's name in this page.
        stops: places of the handle with a button: words, and log10 of the divisor.
        low, high: the ends of the handle, log10 of the divisor; 0 is as trained.
        at: where the address says that the handle stands, or None.
        origin: stands in every export.
        on_change: called when the handle has come to rest; `rested` gives the place there.
    """
    pane = _pane(
        "Where each takes from",
        [name.partition(",")[0] for name in names],
        "share",
        scale="share",
        tokens=len(keys),
        outlined=[*places],
        edge=True,
    )
    handle = {"title": "Temperature", "low": low, "high": high, "step": 0.01, "stops": [[*stop] for stop in stops]}
    header = {"kind": "temperature", "names": [*names], "handle": handle, "start": 0.0, "at": at, "panes": [pane]}
    _draw(header, {"query": query, "key": keys, "picture": picture}, picture.shape, key, origin, on_change)


def places(
    code: np.ndarray,
    picture: np.ndarray,
    *,
    key: str,
    cosine: bool,
    start: int,
    at: int | None,
    origin: Origin,
    on_change: Callable[[], None],
) -> None:
    """Draw a position code, and how alike the code of the place under the pointer is to that of every other.

    Args:
        code: (place, feature)
        picture: (row, column) intensities 0..1, on which a place is chosen.
        key: the component's name in this page.
        cosine: compare by the cosine, else by the dot product.
        start: the place where nobody has chosen one, row by row from 0.
        at: the place that the address holds, or None.
        origin: stands in every export.
        on_change: called when a place was held or let go; `rested` gives it there.
    """
    most = 1.0 if cosine else float((code**2).sum(1).max())
    compared: dict[str, Any] = {
        "scale": "pictures",
        "bounds": [-most, most],
        "fixed": True,
        "note": "one scale for every place",
    }
    title = "Cosine with the code of this place" if cosine else "Dot product with the code of this place"
    panes = [
        _pane("Choose a place", ["picture"], "ink", scale="all"),
        _pane(title, ["likeness"], "signed", **compared),
        _pane(f"The code: {code.shape[1]} numbers a place", [f"no. {i + 1}" for i in range(code.shape[1])], "signed"),
    ]
    header = {"kind": "places", "cosine": cosine, "handle": None, "start": start, "at": at, "panes": panes}
    arrays = {"code": code, "maps_0": picture, "maps_2": code.T}
    _draw(header, arrays, picture.shape, key, origin, on_change)


def rested(key: str) -> float | None:
    """Return where the handle of the component of that key has come to rest, or which place is held; None for none."""
    import streamlit as st

    found = st.session_state.get(key)
    return found.get("at") if isinstance(found, Mapping) else None


def _pane(title: str, labels: Sequence[str], role: str, scale: str = "all", **more: Any) -> dict[str, Any]:
    """Return what one grid of maps is told: the header of `map_grid`, and what belongs to moving maps."""
    nothing = {"bounds": None, "table": None, "chosen": None, "outlined": None, "tokens": 1, "edge": False}
    return {**nothing, "title": title, "labels": [*labels], "role": role, "scale": scale, **more}


def _draw(
    header: dict[str, Any],
    arrays: dict[str, np.ndarray],
    shape: tuple[int, ...],
    key: str,
    origin: Origin,
    on_change: Callable[[], None],
) -> None:
    whole = {**header, "rows": shape[0], "columns": shape[1], "origin": dict(origin)}
    data = pack(whole, {name: np.ascontiguousarray(array, np.float64) for name, array in arrays.items()})
    component("moving_maps")(key=key, data=data, on_at_change=on_change)

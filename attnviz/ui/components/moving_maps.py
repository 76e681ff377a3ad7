"""Maps that the browser computes while a hand moves: the data for `frontend/moving_maps/moving_maps.js`.

Maps follow the hand without the server: the data that they are computed from are sent once. When the hand has come to
rest, its position is reported so that it can be written into the URL.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.ui.components.component import component
from attnviz.ui.components.state import ControlledState
from attnviz.views.payload import pack, with_header

Origin = Mapping[str, str | int | float]


def turn_weight(
    picture: np.ndarray,
    bias: float,
    *,
    start: float,
    limit: float,
    origin: Origin,
) -> bytes:
    """Return w * picture (standardised) + bias, on its own and on a fixed scale, with a slider for w up to `limit`."""
    most = limit * float(np.abs(picture).max()) + abs(bias)
    panes = [
        _pane("On its own scale", ["w × intensity + b"], "own", scale="map", note="its own scale for each w"),
        _pane(
            "Truly", ["w × intensity + b"], "signed", scale="pictures", bounds=[-most, most], fixed=True,
            note="one scale for every w",
        ),
    ]  # fmt: skip
    stops = [["as learnt", start], ["0", 0.0], ["reversed sign", -start]]
    handle = {"title": "w", "low": -limit, "high": limit, "step": 0.01, "stops": stops}
    header = {"kind": "weight", "bias": bias, "handle": handle, "start": start, "panes": panes}
    return _packed(header, {"picture": picture}, picture.shape, origin)


def temperature(
    query: np.ndarray,
    keys: np.ndarray,
    names: Sequence[str],
    places: Sequence[int],
    picture: np.ndarray,
    *,
    stops: Sequence[tuple[str, float]],
    low: float,
    high: float,
    origin: Origin,
) -> bytes:
    """Return the weights of some queries of one head, with a slider for the number that divides their scores.

    `query` is (query, size), `keys` (token, size), and `places` are the queries' tokens, row by row from 0. A tile's
    caption is its name up to the first comma. `picture` is (row, column) in 0..1; the edge of its ink is drawn. `stops`
    are positions of the slider with a button: a label, and log10 of the divisor, which ranges from `low` to `high`; 0
    is the trained divisor.
    """
    pane = _pane(
        "Where each query takes from",
        [name.partition(",")[0] for name in names],
        "share",
        scale="share",
        tokens=len(keys),
        outlined=[*places],
        edge=True,
    )
    handle = {"title": "Temperature", "low": low, "high": high, "step": 0.01, "stops": [[*stop] for stop in stops]}
    header = {"kind": "temperature", "names": [*names], "handle": handle, "start": 0.0, "panes": [pane]}
    return _packed(header, {"query": query, "key": keys, "picture": picture}, picture.shape, origin)


def places(
    code: np.ndarray,
    picture: np.ndarray,
    *,
    cosine: bool,
    start: int,
    origin: Origin,
) -> bytes:
    """Return a position code, (position, feature), and the similarity of the code under the pointer to all others, by
    the cosine or else by the dot product.

    A position is chosen on `picture`, (row, column) in 0..1; `start` is the initial position, row by row from 0.
    """
    most = 1.0 if cosine else float((code**2).sum(1).max())
    compared: dict[str, Any] = {
        "scale": "pictures",
        "bounds": [-most, most],
        "fixed": True,
        "note": "one scale for all positions",
    }
    title = "Cosine with the code of this position" if cosine else "Dot product with the code of this position"
    panes = [
        _pane("Choose a position", ["picture"], "ink", scale="all"),
        _pane(title, ["likeness"], "signed", **compared),
        _pane(
            f"The code: {code.shape[1]} numbers per position", [f"no. {i + 1}" for i in range(code.shape[1])], "signed"
        ),
    ]
    header = {"kind": "places", "cosine": cosine, "handle": None, "start": start, "panes": panes}
    arrays = {"code": code, "maps_0": picture, "maps_2": code.T}
    return _packed(header, arrays, picture.shape, origin)


def moving_maps(payload: bytes, *, key: str, at: float | None, on_change: Callable[[], None]) -> None:
    """Draw maps that follow a hand; `at` is the slider's value, or the held position, if the URL names it."""
    state = ControlledState(key, "at")
    data = with_header(payload, state={"at": state.ask(at)})
    component("moving_maps")(key=key, data=data, on_at_change=state.callback(on_change))


def rested(key: str) -> float | None:
    """Return the value at which the slider of that component's key came to rest, or the held position, or None."""
    at: float | None = ControlledState(key, "at").shown()
    return at


def _pane(title: str, labels: Sequence[str], role: str, scale: str = "all", **more: Any) -> dict[str, Any]:
    """Return the data of one grid of maps: the header of `map_grid`, and the fields of moving maps."""
    nothing = {"bounds": None, "table": None, "chosen": None, "outlined": None, "tokens": 1, "edge": False}
    return {**nothing, "title": title, "labels": [*labels], "role": role, "scale": scale, **more}


def _packed(header: dict[str, Any], arrays: dict[str, np.ndarray], shape: tuple[int, ...], origin: Origin) -> bytes:
    whole = {**header, "rows": shape[0], "columns": shape[1], "origin": dict(origin)}
    return pack(whole, {name: np.ascontiguousarray(array, np.float64) for name, array in arrays.items()})

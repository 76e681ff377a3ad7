"""A small pad on which the digits of a strip are drawn one after the other: the data for `frontend/strip_pad/`.

The browser requests to add the drawn digit, to remove the last digit, or to start over; Python then makes the strip,
which the URL names. A page that runs once for two requests receives only the second message, so each message repeats
the requests that Python has not confirmed.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.ui.components.component import component
from attnviz.views.payload import pack

SIDE = 140
"""The side of a drawn digit, in pixels."""

Does = Literal["add", "back", "clear"]


class Asked(NamedTuple):
    """A request from the pad: "add" the drawn digit, uint8 (SIDE, SIDE) with 0 for paper and 255 for ink, remove the
    last digit ("back"), or "clear" the strip.
    """

    does: Does
    canvas: npt.NDArray[np.uint8] | None


def strip_pad(*, key: str, digits: int, most: int, on_ask: Callable[[], None]) -> None:
    """Draw the pad with `digits` of `most` drawn; `on_ask` is called on requests, which `asked` returns."""
    header = {"digits": digits, "most": most, "side": SIDE, "confirmed": st.session_state.get(_confirmed(key), 0)}
    component("strip_pad")(key=key, data=pack(header, {}), on_asked_change=on_ask)


def asked(key: str) -> list[Asked]:
    """Return the requests made on the pad of that key since the last call, the oldest first, without invalid ones."""
    found = st.session_state.get(key)
    told = found.get("asked") if isinstance(found, Mapping) else None
    requests = []
    for one in told if isinstance(told, list) else ():
        number = one.get("number") if isinstance(one, Mapping) else None
        if type(number) is int and number > st.session_state.get(_confirmed(key), 0):
            st.session_state[_confirmed(key)] = number
            requests += _read(one)
    return requests


def _confirmed(key: str) -> str:
    """Return the session state key of the number of the last request that was carried out."""
    return f"{key}.confirmed"


def _read(told: Mapping[str, object]) -> list[Asked]:
    """Return a browser's request as a list of one, or an empty list if it is invalid."""
    if told.get("does") not in ("add", "back", "clear"):
        return []
    does = cast(Does, told["does"])
    canvas = _canvas(told.get("canvas")) if does == "add" else None
    return [] if does == "add" and canvas is None else [Asked(does, canvas)]


def _canvas(word: object) -> npt.NDArray[np.uint8] | None:
    if not isinstance(word, str) or len(word) > 4 * (SIDE * SIDE // 3 + 1):
        return None
    try:
        content = base64.b64decode(word, validate=True)
    except (ValueError, binascii.Error):
        return None
    return np.frombuffer(content, np.uint8).reshape(SIDE, SIDE) if len(content) == SIDE * SIDE else None

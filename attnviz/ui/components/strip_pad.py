"""A small pad on which the digits of a strip are drawn one after the other: the data for `frontend/strip_pad/`.

The browser reports each request once, as a trigger: to add the drawn digit, to remove the last digit, or to start over.
Python then makes the strip, which the URL names.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

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
    """Draw the pad with `digits` of `most` drawn; `on_ask` is called on a request, which `asked` then returns."""
    data = pack({"digits": digits, "most": most, "side": SIDE}, {})
    component("strip_pad")(key=key, data=data, on_asked_change=on_ask)


def asked(key: str) -> Asked | None:
    """Return the request just made on the pad of that key, or None if there is none or it is invalid."""
    import streamlit as st

    found = st.session_state.get(key)
    told = found.get("asked") if isinstance(found, Mapping) else None
    if not isinstance(told, Mapping) or told.get("does") not in ("add", "back", "clear"):
        return None
    does = cast(Does, told["does"])
    if does != "add":
        return Asked(does, None)
    canvas = _canvas(told.get("canvas"))
    return None if canvas is None else Asked(does, canvas)


def _canvas(word: object) -> npt.NDArray[np.uint8] | None:
    if not isinstance(word, str) or len(word) > 4 * (SIDE * SIDE // 3 + 1):
        return None
    try:
        content = base64.b64decode(word, validate=True)
    except (ValueError, binascii.Error):
        return None
    return np.frombuffer(content, np.uint8).reshape(SIDE, SIDE) if len(content) == SIDE * SIDE else None

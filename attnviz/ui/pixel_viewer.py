"""The attention of the pixel under the pointer: what `frontend/pixel_viewer.js` draws, and the state of its view.

A *view* is a dictionary: "query" and "key" ([row, column], or None while nothing is locked), "head" (a number or
"mean"), "show" (weights, scores, carried), "direction" (from, to, received), "scale" (share, all, map). In it, as in
arrays, rows, columns and heads count from 0; [-1, i] is the i-th token that lies nowhere (a class token). In what a
person reads, the address of the page included, they count from 1: `view_to_address` and `view_from_address` are the
bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.errors import BadInput
from attnviz.ui.components import component
from attnviz.ui.payload import pack
from attnviz.ui.wishes import wish

OF_TOKENS = ("query", "key", "value", "log_normaliser", "carried", "received")  # (head, token, ...), of a view

DEFAULTS: dict[str, Any] = {
    "query": None,
    "key": None,
    "head": 0,
    "show": "weights",
    "direction": "from",
    "scale": "share",
}


@dataclass(frozen=True, eq=False)
class AttentionView:
    """One picture, one attention layer, and what is needed to compute every weight between two of its tokens.

    N tokens: `prefix` that lie nowhere, then rows x columns, row by row from the top left. All floats are float64.

    Args:
        picture: (row, column) each token's intensity, 0..1; the edge of the ink is found in it.
        query: (head, token, size)
        key: (head, token, size)
        value: (head, token, size)
        log_normaliser: (head, token) log of the sum of exp(score) over all keys, for each query.
        carried: (head, token) what a key would add to the output if its weight were 1: signed where the output is one
            number, else the length of what it adds.
        carried_signed: whether `carried` has a sign.
        received: (head, token) mean weight over all queries; 1/N is an even share.
        output: (token, feature) what comes out of the layer.
        rows: of the grid.
        columns: of the grid.
        prefix: how many leading tokens lie nowhere.
        classes: the names of the answers.
        probabilities: (class,) the model's answer, 0..1.
        label: the true class, if it is known.
        origin: software version, model, recipe, seed, digest, image, address: stands in every export.
        ink: whether the edge of the ink is drawn on the maps (it is for drawn digits).
        background: uint8 (row, column, 1 or 3), drawn instead of `picture`, at its own resolution.
    """

    picture: np.ndarray
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    log_normaliser: np.ndarray
    carried: np.ndarray
    carried_signed: bool
    received: np.ndarray
    output: np.ndarray
    rows: int
    columns: int
    prefix: int
    classes: tuple[str, ...]
    probabilities: np.ndarray
    label: str | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    ink: bool = True
    background: np.ndarray | None = None

    def __post_init__(self) -> None:
        tokens = self.prefix + self.rows * self.columns
        if self.query.ndim != 3:
            raise BadInput(f"query: expected (head, token, size), got the shape {self.query.shape}.")
        heads, _, size = self.query.shape
        expected = {
            "picture": (self.rows, self.columns),
            "query": (heads, tokens, size),
            "key": (heads, tokens, size),
            "value": (heads, tokens, self.value.shape[-1]),
            "log_normaliser": (heads, tokens),
            "carried": (heads, tokens),
            "received": (heads, tokens),
            "output": (tokens, self.output.shape[-1]),
            "probabilities": (len(self.classes),),
        }
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != np.float64:
                raise BadInput(f"{name}: expected float64 of the shape {shape}, got {array.dtype} of {array.shape}.")
        picture = self.background
        if picture is not None and (picture.ndim != 3 or picture.shape[2] not in (1, 3) or picture.dtype != np.uint8):
            found = f"{picture.dtype} of {picture.shape}"
            raise BadInput(f"background: expected uint8 of the shape (row, column, 1 or 3), got {found}.")


def pixel_viewer(
    view: AttentionView,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the viewer.

    Args:
        view: what to look at.
        key: the component's name in this page; keep it fixed, so that what the visitor locked survives a new picture.
        state: the view that the address asks for; fields may be missing (the default) or nonsense (the default, and a
            visible sentence). None: no wish, the visitor's own view stays.
        on_change: called when a view has settled (lock, release, a control), before the page runs again; `settled_view`
            gives it there. Never called while the pointer only moves.

    Returns:
        The view that has settled last, all fields filled; None before the first time.
    """
    first, place = distinct(view)
    arrays = {
        "picture": view.picture,
        "place": place,
        **{name: getattr(view, name)[:, first] for name in OF_TOKENS},
        "output": view.output,
        "probabilities": view.probabilities,
    }
    if view.background is not None:
        arrays["background"] = view.background
    asked, number = (None, 0) if state is None else wish(key, {**DEFAULTS, **state}, settled_view(key))
    header = {
        "rows": view.rows,
        "columns": view.columns,
        "prefix": view.prefix,
        "classes": list(view.classes),
        "label": view.label,
        "origin": dict(view.origin),
        "ink": view.ink,
        "carried_signed": view.carried_signed,
        "wish": asked,
        "wish_number": number,
    }
    component("pixel_viewer")(key=key, data=pack(header, arrays), on_view_change=on_change or _nothing)
    return settled_view(key)


def distinct(view: AttentionView) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Find the tokens that differ: equal ones travel to the browser once, of some models a tenth of all.

    Returns:
        (distinct,): the first token of each kind. (token,): the place of each token's kind in it.
    """
    rows = np.concatenate([getattr(view, name).reshape(*view.query.shape[:2], -1) for name in OF_TOKENS], 2)
    rows = np.ascontiguousarray(rows.transpose(1, 0, 2))  # (token, head, numbers)
    kinds: dict[bytes, int] = {}
    place = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in rows], np.int32)
    return np.unique(place, return_index=True)[1].astype(np.int32), place


def settled_view(key: str) -> dict[str, Any] | None:
    """Give the view that settled last in the viewer of that key, as in `pixel_viewer`; None before the first time."""
    found = st.session_state.get(key)
    view = found.get("view") if isinstance(found, Mapping) else None
    return dict(view) if isinstance(view, Mapping) else None


def view_to_address(view: Mapping[str, Any]) -> dict[str, str]:
    """Say a view in the words of an address: only what differs from the default, counted from 1.

    Args:
        view: as `pixel_viewer` returns it.

    Returns:
        Such as {"query": "5,8", "head": "7", "direction": "to"}; `view.js` writes the same into a copied link.
    """
    words = {}
    for name, default in DEFAULTS.items():
        value = view.get(name, default)
        if value == default:
            continue
        if name in ("query", "key"):
            row, column = value
            words[name] = f"{row + 1},{column + 1}"
        elif name == "head" and value != "mean":
            words[name] = str(value + 1)
        else:
            words[name] = str(value)
    return words


def view_from_address(words: Mapping[str, str]) -> dict[str, Any]:
    """Read the view out of an address, the inverse of `view_to_address`.

    Args:
        words: the query parameters; those of others are left alone.

    Returns:
        A view with the fields that the address names. A word that makes no sense stays as it is: the viewer drops it
        and says so.
    """
    view: dict[str, Any] = {}
    for name in DEFAULTS:
        word = words.get(name)
        if word is None:
            continue
        view[name] = word
        if name in ("query", "key"):
            parts = word.split(",")
            if len(parts) == 2 and all(_is_count(part) for part in parts):
                view[name] = [int(part) - 1 for part in parts]
        elif name == "head" and _is_count(word):
            view[name] = int(word) - 1
    return view


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= 6


def _nothing() -> None:
    """Stand in for a callback: Streamlit knows a state of a component only if it has one."""

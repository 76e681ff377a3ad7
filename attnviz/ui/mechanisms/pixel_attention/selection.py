"""The selection that an experiment shares with the viewer above it: the head, and the pixels locked there.

The viewer writes all of it into the URL, where rows, columns and heads are counted from 1; here they count from 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attnviz.errors import BadInput
from attnviz.subjects import Net
from attnviz.ui.shared import url_state
from attnviz.views.attention import FIELDS, AttentionView

MEAN = "mean"


@dataclass(frozen=True)
class Token:
    """One token of a view: its number among all, from 0, its position in words, and its ink, 0..1, which is None if the
    token has no position on the picture.
    """

    number: int
    place: str
    ink: float | None


def head(count: int, *, mean: bool = False) -> int | None:
    """Draw the choice of a head, initially that of the viewer, and return it, or None for the mean of all."""
    if count == 1:
        return 0
    options = [*map(str, range(1, count + 1)), *([MEAN] if mean else [])]
    if not mean and st.query_params.get("head") == MEAN:
        st.caption("The viewer shows the mean of all heads; head 1 is shown here.")
        options.append(MEAN)
    chosen = url_state.choice("head", options, "1")
    st.selectbox("Head", options, key="head", format_func=_title, on_change=_keep_head, width=160)
    if chosen == MEAN:
        return None if mean else 0
    return int(chosen) - 1


def token(view: AttentionView, name: str) -> Token | None:
    """Return the query or key that is locked in the viewer, or None if none is or the URL is invalid."""
    place = FIELDS.read(st.query_params.to_dict()).get(name)
    if not isinstance(place, list):
        return None
    row, column = place
    if row == -1 and 0 <= column < view.prefix:
        return at(view, column)
    if 0 <= row < view.rows and 0 <= column < view.columns:
        return at(view, view.prefix + row * view.columns + column)
    return None


def check(view: AttentionView, head: int | None = None, number: int | None = None) -> None:
    """Raise BadInput for a head or a token that a view does not have."""
    heads, tokens, _ = view.query.shape
    for what, asked, count in (("heads", head, heads), ("tokens", number, tokens)):
        if asked is not None and not 0 <= asked < count:
            raise BadInput(f"There are {count} {what}, counted from 0; there is no number {asked}.")


def at(view: AttentionView, number: int) -> Token:
    """Return the token with this number."""
    if number < view.prefix:
        return Token(number, f"token {number + 1}, which has no position", None)
    row, column = divmod(number - view.prefix, view.columns)
    return Token(number, f"row {row + 1}, column {column + 1}", float(view.picture[row, column]))


def middle_of_the_ink(view: AttentionView, *, company: bool = False) -> Token:
    """Return the pixel with much ink nearest to the ink's centre; with `company`, rather one sharing its intensity."""
    picture = view.picture
    rows, columns = np.indices(picture.shape)
    total = picture.sum()
    centre = ((rows * picture).sum() / total, (columns * picture).sum() / total) if total else (0.0, 0.0)
    fits = picture >= picture.max() / 2
    _, group, count = np.unique(picture.round(6), return_inverse=True, return_counts=True)
    alone = (count[group] == 1).reshape(picture.shape)
    if company and (fits & ~alone).any():
        fits &= ~alone
    away = np.where(fits, np.hypot(rows - centre[0], columns - centre[1]), np.inf)
    return at(view, view.prefix + int(away.argmin()))


def name(head: int | None) -> str:
    """Return the name of a head, counted from 1."""
    return "Mean of all heads" if head is None else f"Head {head + 1}"


def _title(option: str) -> str:
    return name(None if option == MEAN else int(option) - 1)


def _keep_head() -> None:
    chosen = st.session_state["head"]
    url_state.set_value(head=None if chosen == "1" else chosen)


def single_token(net: Net) -> bool:
    """Return whether the net takes the whole picture as one token."""
    return net.grid is not None and net.grid.tokens == 1


def of_one_token(why: str) -> Callable[[Net], str | None]:
    """Return a function that refuses nets of one token with the sentence `why` and returns None for other nets."""
    return lambda net: why if single_token(net) else None

"""The choice of a strip: by source, length and number, at random, the next one, or drawn digit by digit.

In the URL a strip is one word, `strip=strokes.8.3`, or the pixels of a drawn strip; `draw` is "yes" while the pad is
shown.
"""

import random
from collections.abc import Mapping

import numpy as np
import streamlit as st

from attnviz import data
from attnviz.data.digit_strips import MOST, PARTS, PER_LENGTH
from attnviz.errors import BadInput, DataError
from attnviz.subjects import Loaded, Strip
from attnviz.ui.mechanisms.sequences import LENGTH, NUMBER, SOURCE
from attnviz.ui.shared import home_picture, url_state

DRAW = "draw"
YOURS = "yours"
_WORD = "strip"
_LAST = "strip_last"  # session state key: the last test strip shown, to return to from a drawn one
_TURN = "strip_turn"


def strip() -> Strip:
    """Draw the choice of a strip and return it. An invalid URL leads to a message and the opening strip."""
    sources = [name for name in PARTS if data.available(name)]
    found = in_url()
    drawing = url_state.choice(DRAW, ["no", "yes"], "yes" if found.is_drawn else "no") == "yes"
    last = Strip(st.session_state.get(_LAST, opening().word))
    titles: Mapping[str, str] = {name: data.DATASETS[name].title for name in sources} | {YOURS: "Draw your own"}
    st.session_state["strip_source"] = YOURS if drawing else _parts(last)[0]
    st.segmented_control(
        "Digits from", list(titles), key="strip_source", format_func=titles.__getitem__, required=True,
        on_change=_take_source, args=(last,),
    )  # fmt: skip
    if drawing:
        return found
    st.session_state["strip_length"] = len(found)
    st.number_input("How many digits", 1, MOST, key="strip_length", width=150, on_change=_take_length, args=(last,))
    key = f"strip_number {st.session_state.get(_TURN, 0)}"
    st.session_state[key] = _parts(last)[2]
    st.number_input("Number", 0, PER_LENGTH - 1, key=key, width=116, on_change=_typed, args=(last, key))
    st.button("Next", on_click=_go, args=(last, False))
    st.button("Random", on_click=_go, args=(last, True))
    return found


def is_drawing() -> bool:
    """Return whether the pad is shown."""
    return bool(st.session_state.get("strip_source") == YOURS)


def opening(length: int = LENGTH) -> Strip:
    """Return the strip with which the page opens, or its counterpart of another length."""
    return Strip.test(SOURCE, length, NUMBER)


def show(found: Strip) -> None:
    """Show a strip by writing it into the URL, in a callback."""
    url_state.set_value(**{_WORD: found.word})


def in_url() -> Strip:
    """Return the strip in the URL, or the opening strip if the URL has none or its digits are not available."""
    word = st.query_params.get(_WORD)
    if word is None:
        return opening()
    try:
        found = Strip(word)
        _ = found.picture
    except (BadInput, DataError) as error:
        url_state.complain(f"{error} You see {opening().word} instead.")
        return opening()
    if not found.is_drawn:
        st.session_state[_LAST] = found.word
    return found


def _parts(found: Strip) -> tuple[str, int, int]:
    """Return the source, length and number of a test strip."""
    made, length, place = found.word.split(".")
    return made, int(length), int(place)


def _take_source(last: Strip) -> None:
    chosen = st.session_state["strip_source"]
    if chosen == YOURS:
        url_state.set_value(**{DRAW: "yes"})
    else:
        _, length, place = _parts(last)
        url_state.set_value(**{DRAW: None, _WORD: Strip.test(chosen, length, place).word})


def _take_length(last: Strip) -> None:
    made, _, place = _parts(last)
    show(Strip.test(made, st.session_state["strip_length"], place))


def _typed(last: Strip, key: str) -> None:
    made, length, _ = _parts(last)
    show(Strip.test(made, length, int(st.session_state[key])))


def _go(last: Strip, at_random: bool) -> None:
    # The number's widget needs another key: see `pickers`.
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    made, length, place = _parts(last)
    show(Strip.test(made, length, random.randrange(PER_LENGTH) if at_random else (place + 1) % PER_LENGTH))


def home_tiles(loaded: Loaded, *_: object) -> home_picture.Pair:
    """Return the strip in two lines of four digits, and the weights of its steps, a row for each step."""
    from attnviz.ui.mechanisms.sequences import reading

    digits = 4
    view = reading.view(loaded, opening())
    picture, side = view.picture[..., 0], view.picture.shape[0]
    lines = [picture[:, start : start + digits * side] for start in range(0, picture.shape[1], digits * side)]
    room = np.zeros((digits * side, digits * side), np.uint8)
    for number, line in enumerate(lines):
        top = round((number + 0.5) * digits * side / len(lines) - side / 2)
        room[top : top + side, : line.shape[1]] = line
    weights = view.layers[0].own
    assert weights is not None
    return home_picture.grey(room), home_picture.heat(weights.mean(0))

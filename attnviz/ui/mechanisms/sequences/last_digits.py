"""The last digits that were drawn on the draw page, as a strip, and the texts that networks read from it.

A digit is complete when the pad is cleared after it; it is then the last digit of the strip, also in the URL field
`strip`. The digit being drawn follows it. Undoing the clearing turns the last digit into the one being drawn again.
"""

import base64

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import subjects
from attnviz.data.inputs.strip import TooLong
from attnviz.errors import BadInput
from attnviz.subjects import Net, Strip, Subject
from attnviz.subjects.drawings import Drawing
from attnviz.ui.mechanisms.sequences import LAST_DIGITS, MECHANISM, own_strip
from attnviz.ui.mechanisms.sequences.experiments import ADDITIVE, ONE_VECTOR, TRANSFORMER
from attnviz.ui.shared import cache, page, url_state
from attnviz.ui.shared.wording import share

MOST = 15
"""The number of digits kept: the maximum length on which the networks were trained."""
NOTHING = "yes"
"""The value of the URL field before the first digit is complete."""

SIDE = 56
"""The side of a digit on the page, in pixels."""

_TOGGLE, _ANEW = "last_digits", "last_digits_anew"
_NOW = "last_digits_now"  # session state key: the last drawing received, whose digit is not complete
_COMPLETE = "last_digits_complete"  # session state key: each complete drawing, and the strip's URL word at that time


def show(names: list[str], seen: str | None) -> None:
    """Draw the switch and, if it is on, the strip and the networks' texts; nothing if no panel classifies digits."""
    nets = subjects.usable([ADDITIVE, TRANSFORMER, ONE_VECTOR])
    if not nets or not any(set(net.classes) <= {*"0123456789"} for net in map(subjects.net, names)):
        return
    st.header("The last digits, as a strip", anchor=False)
    st.markdown(
        "Draw a digit, clear the pad, draw the next one: the digits stand side by side here, and networks read them "
        "from left to right."
    )
    st.session_state[_TOGGLE] = LAST_DIGITS in st.query_params
    st.toggle("Keep the digits that I draw", key=_TOGGLE, on_change=_turn)
    if not st.session_state[_TOGGLE]:
        return
    net = next(iter(nets.values()))
    with page.sentences():
        if seen and Drawing(seen).picture.shape[:2] != (net.input.rows, net.input.rows):
            st.info(
                f"The strip is made of digits of {net.input.rows} × {net.input.rows} pixels, but no model above saw "
                "the drawing at this size. Choose another one that takes such pictures."
            )
            return
        digits = _digits(seen, net)
        if len(digits):
            _read(_strip(digits[-MOST:]), nets)
        else:
            st.info("Nothing is drawn yet. Draw a digit above.")


def _read(strip: Strip, nets: dict[str, Net]) -> None:
    """Draw a strip and the text that each network reads, with the probability of its least certain symbol."""
    from attnviz.ui.mechanisms.sequences import reading

    picture = base64.b64encode(own_strip.png(strip)).decode()
    words = f'alt="The last digits that were drawn, {len(strip)} of them"'
    size = f'style="width: {SIDE * len(strip)}px; height: auto; max-width: 100%; object-fit: fill"'
    st.markdown(f'<img {words} {size} src="data:image/png;base64,{picture}">', unsafe_allow_html=True)
    lines = []
    for net in nets.values():
        text, least = cache.of_subject(reading.text_and_least, Subject(net, strip))
        lines.append(f"{net.title}: **{text or 'nothing'}**. Its least certain symbol has probability {share(least)}.")
    st.markdown("  \n".join(lines))
    with st.container(horizontal=True, vertical_alignment="center"):
        page.link(MECHANISM.page, "See where each of them looks", **strip.words)
        st.button("Start again", key=_ANEW, type="tertiary", on_click=_begin)


def _digits(seen: str | None, net: Net) -> npt.NDArray[np.uint8]:
    """Return the complete digits and the one being drawn, uint8 (digit, 28, 28)."""
    word = st.query_params[LAST_DIGITS]
    try:
        kept = own_strip.digits_of(Strip(word)) if word != NOTHING else own_strip.NO_DIGITS
    except BadInput as error:
        url_state.complain(f"{error} The strip starts without these digits.")
        kept = own_strip.NO_DIGITS
    completed: list[tuple[str, str]] = st.session_state.setdefault(_COMPLETE, [])
    if seen:
        st.session_state[_NOW] = seen
        # Exactly the same strokes: an undo has restored them. A starting picture may simply recur.
        if completed and completed[-1] == (seen, word) and st.query_params.get("strokes"):
            completed.pop()
            kept = kept[:-1]
            url_state.set_value(**{LAST_DIGITS: _strip(kept).word if len(kept) else NOTHING})
        return np.concatenate([kept, _taken(seen, net)])
    before = st.session_state.pop(_NOW, None)
    if before is not None and seen is None:  # the pad was cleared: this digit is complete
        kept = np.concatenate([kept, _taken(before, net)])[-MOST:]
        whole = _strip(kept).word
        completed[:] = [*completed[1 - MOST :], (before, whole)]
        url_state.set_value(**{LAST_DIGITS: whole})
    return kept


def _taken(seen: str, net: Net) -> npt.NDArray[np.uint8]:
    """Return a drawing as a strip of one digit, uint8 (1, 28, 28)."""
    return Drawing(seen).taken_by(net)[None, :, :, 0]


def _strip(digits: npt.NDArray[np.uint8]) -> Strip:
    """Return the strip of the last of these digits, as many as fit into a link."""
    try:
        return Strip.drawn(digits)
    except TooLong:
        return _strip(digits[1:])


def _turn() -> None:
    url_state.set_value(**{LAST_DIGITS: NOTHING if st.session_state[_TOGGLE] else None})


def _begin() -> None:
    for name in (_NOW, _COMPLETE):
        st.session_state.pop(name, None)
    url_state.set_value(**{LAST_DIGITS: NOTHING})

"""The last digits that were drawn on the draw page, as a strip, and the texts that networks read from it.

A digit is complete when the pad is cleared after it; it is then the last digit of the strip, also in the URL field
`strip`. The digit being drawn follows it. Undoing the clearing turns the last digit into the one being drawn again.
Each report of the pad contains all clearings, since the page may run once for several reports.
"""

import base64
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import subjects
from attnviz.data.inputs.strip import TooLong
from attnviz.errors import BadInput
from attnviz.subjects import Net, Strip, Subject
from attnviz.subjects.drawings import Drawing
from attnviz.ui.components.drawn import Seen
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
_COMPLETED = "last_digits_completed"  # session state key: a list of Completed, or None until the pad reports again
_UNDOABLE = 200  # the pad's maximum number of undo steps


class Completed(NamedTuple):
    """A clearing of the pad, by its name, and the strip's URL word before and after it; None if it adds no digit."""

    step: str
    before: str | None = None
    after: str | None = None


def show(names: list[str], seen: Seen | None) -> None:
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
        if seen and seen.word and not _fits(seen.word, net):
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


def _digits(seen: Seen | None, net: Net) -> npt.NDArray[np.uint8]:
    """Return the complete digits and the one being drawn, uint8 (digit, 28, 28)."""
    before = word = st.query_params[LAST_DIGITS]
    earlier = [Completed(step) for step, _ in (seen.cleared if seen else ())]
    completed: list[Completed] | None = st.session_state.setdefault(_COMPLETED, earlier)
    if seen is None:
        return _kept(word)
    if completed is None:
        completed = st.session_state[_COMPLETED] = earlier
    while completed and completed[-1].step not in dict(seen.cleared):
        undone = completed.pop()
        word = undone.before if undone.before and undone.after == word else word
    kept = _kept(word)
    for step, drawn in seen.cleared:
        if step in {one.step for one in completed}:
            continue
        if drawn and _fits(drawn, net):
            kept = np.concatenate([kept, _taken(drawn, net)])[-MOST:]
            completed.append(Completed(step, word, word := _strip(kept).word))
        else:
            completed.append(Completed(step))
    del completed[:-_UNDOABLE]
    if word != before:
        url_state.set_value(**{LAST_DIGITS: word})
    return np.concatenate([kept, _taken(seen.word, net)]) if seen.word else kept


def _kept(word: str) -> npt.NDArray[np.uint8]:
    """Return the digits of the URL's strip, uint8 (digit, 28, 28); none after a word that is no drawn strip."""
    try:
        return own_strip.digits_of(Strip(word)) if word != NOTHING else own_strip.NO_DIGITS
    except BadInput as error:
        url_state.complain(f"{error} The strip starts without these digits.")
        return own_strip.NO_DIGITS


def _fits(seen: str, net: Net) -> bool:
    """Return whether a drawing was seen at the size of the strip's digits."""
    return Drawing(seen).picture.shape[:2] == (net.input.rows, net.input.rows)


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
    st.session_state[_COMPLETED] = None
    url_state.set_value(**{LAST_DIGITS: NOTHING if st.session_state[_TOGGLE] else None})


def _begin() -> None:
    st.session_state.pop(_COMPLETED, None)
    url_state.set_value(**{LAST_DIGITS: NOTHING})

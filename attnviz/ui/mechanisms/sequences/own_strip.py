"""A visitor's own strip: drawn digit by digit on the pad, typed, or opened from a file; it can be saved as a file."""

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import data
from attnviz.data.digit_strips import MOST, SIDE
from attnviz.data.inputs import digit, pictures
from attnviz.data.inputs.strip import TooLong
from attnviz.errors import BadInput
from attnviz.subjects import Strip
from attnviz.ui.components import strip_pad
from attnviz.ui.mechanisms.sequences import choose
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim

PAD = "strip_pad"
TYPED, FILE = "strip_typed", "strip_file"
KEPT = (
    "This strip has too much detail for a link: the link only names it. Save it as a file; where that file is opened, "
    "the link shows the strip again."
)
DIFFERENT = 40  # handwritings of each typed digit, so that equal digits do not all look the same

NO_DIGITS = np.zeros((0, SIDE, SIDE), np.uint8)

_SAID = "strip_said"  # session state key: the error in the last digit or file


def show(found: Strip) -> None:
    """Draw the pad with the strip, at first a test strip, a field for digits, and the files to save or open."""
    with st.container(key="own_strip", horizontal=True, gap="small", vertical_alignment="top"):
        with st.container(width=430):
            drawn = len(found) if found.is_drawn else 0
            strip_pad.strip_pad(key=PAD, digits=drawn, most=MOST, on_ask=_asked)
        with st.container(width=260):
            st.text_input("Or type digits", key=TYPED, placeholder="2026", max_chars=MOST, on_change=_typed)
            if found.is_drawn:
                st.download_button("Save the strip as a file", png(found), "strip.png", "image/png")
        with st.container(width=380):
            st.file_uploader("Or open a strip that was saved", type="png", key=FILE, on_change=_opened)
        said = st.session_state.pop(_SAID, None)
    if said:
        st.warning(verbatim(said))
    if found.is_kept:
        st.info(KEPT)


def png(found: Strip) -> bytes:
    """Return a strip as a PNG file, black on white."""
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(255 - found.picture[..., 0]).save(content, "PNG")
    return content.getvalue()


def opened(content: bytes) -> npt.NDArray[np.uint8]:
    """Return the digits of a file, uint8 (digit, 28, 28)."""
    picture = 255 - pictures.read(content).grey
    rows, columns = picture.shape
    if rows != SIDE or columns % SIDE or not SIDE <= columns <= MOST * SIDE:
        raise BadInput(
            f"A strip is a picture of {SIDE} rows, and of {SIDE} columns for each of up to {MOST} digits; this one has "
            f"{rows} rows and {columns} columns. Open one that was saved here."
        )
    return np.stack(np.split(picture, columns // SIDE, 1))


def written(text: str) -> npt.NDArray[np.uint8]:
    """Return drawn digits of the data set `strokes`, uint8 (digit, 28, 28), for typed digits."""
    if not text.isdecimal() or not text.isascii() or len(text) > MOST:
        raise BadInput(f"A strip has 1 to {MOST} digits and nothing else, so {text[:40]!r} cannot be drawn.")
    labels = data.labels("strokes", "test")
    places = []
    for number, one in enumerate(text):
        of_kind = np.flatnonzero(labels == int(one))
        places.append(int(of_kind[number % DIFFERENT]))
    return data.pick("strokes", "test", places).images[..., 0]


def digits_of(found: Strip) -> npt.NDArray[np.uint8]:
    """Return the digits that a visitor has drawn, uint8 (digit, 28, 28); a test strip has none."""
    if not found.is_drawn:
        return NO_DIGITS
    return np.stack(np.split(found.picture[..., 0], len(found), 1))


def _asked() -> None:
    for asked in strip_pad.asked(PAD):
        have = digits_of(choose.in_url())
        if asked.canvas is not None:
            _take(np.concatenate([have, digit.prepare(asked.canvas).picture[None]]))
        elif asked.does == "back" and len(have) > 1:
            _take(have[:-1])
        else:
            url_state.set_value(strip=None, **{choose.DRAW: "yes"})


def _typed() -> None:
    text = "".join(st.session_state[TYPED].split())
    if text:
        _tried(lambda: _take(written(text)))


def _opened() -> None:
    file = st.session_state[FILE]
    if file is not None:
        _tried(lambda: _take(opened(file.getvalue())))


def _take(digits: npt.NDArray[np.uint8]) -> None:
    def show_it() -> None:
        try:
            found = Strip.drawn(digits)
        except TooLong:
            found = Strip.kept(digits)
        choose.show(found)

    _tried(show_it)


def _tried(act: Callable[[], None]) -> None:
    try:
        act()
    except BadInput as error:
        st.session_state[_SAID] = str(error)

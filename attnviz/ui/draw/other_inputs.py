"""Inputs other than the pen: a test picture, a file, the camera.

    base = other_inputs.given(PAD)        # before the pad is drawn: a picture for it, or None
    opened = other_inputs.show(clicked)   # above the pad: the choices of the clicked input

A test picture has a name and is passed in the URL. A file or a photograph has none: it is read on arrival, kept only
for this visit, and sent to the pad once; from then on the browser has it. If it cannot be read, a sentence is shown and
nothing changes.

    input     the open input, a field of the URL
"""

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from attnviz import data
from attnviz.data.inputs import photograph, pictures
from attnviz.data.inputs.digit import FAINT
from attnviz.data.inputs.prepared import checked, scaled
from attnviz.errors import AttnvizError
from attnviz.ui.components.drawing_pad import Base, on_pad
from attnviz.ui.components.photograph import drawn_box
from attnviz.ui.components.photograph import photograph as shown_photograph
from attnviz.ui.draw.tasks import Task
from attnviz.ui.shared import pickers, url_state
from attnviz.ui.shared.visitor import camera_refusal
from attnviz.ui.shared.wording import verbatim

SAMPLE, FILE, CAMERA = "sample", "file", "camera"
INPUTS = {SAMPLE: "a test picture", FILE: "a picture file", CAMERA: "the camera"}
WORD = "input"
ANY = pickers.ANY

EMPTY = "Nothing in this picture stands out from its background."
EMPTY_BOX = "Nothing in this box stands out from its background. Draw another one, or search the whole picture."

_MEMORY = "other_inputs"
_DARK = {True: "darker", False: "lighter"}


@dataclass
class _Received:
    """The uploaded pictures of this visit: the last readable one, and the refusals after it."""

    upload: pictures.Upload | None = None
    by: str = ""  # the input widget that received it
    dark: bool | None = None  # whether the ink is darker than the paper, as chosen; None detects it
    box: tuple[int, int, int, int] | None = None  # the box to search for the digit, as drawn; None searches everywhere
    found: photograph.Found | None = None  # the digit on the canvas; None if the canvas shows the whole picture
    waiting: Base | None = None  # until the pad takes it
    refused: dict[str, str] = field(default_factory=dict)  # input widget -> reason


def given(pad: str) -> Base | None:
    """Return the uploaded picture, 280 x 280 under its own name, that the pad has not yet confirmed, or None."""
    outside = _outside()
    told = on_pad(pad)
    if outside.waiting and told and told.base == outside.waiting.name:
        outside.waiting = None
    return outside.waiting


def show(clicked: str | None, its: Task) -> str:
    """Draw the open input and the choice of inputs, and return the name of the open one, or "".

    `clicked` is the input to open now; "" closes the open one; None leaves it open.
    """
    in_memory()
    if clicked is not None:
        url_state.set_value(**{WORD: clicked or None})
    opened = url_state.choice(WORD, ["", *INPUTS], "")
    if opened:
        st.session_state[WORD] = opened
        st.segmented_control("Start from", list(INPUTS), key=WORD, format_func=_title, on_change=_open)
        {SAMPLE: sample, FILE: file, CAMERA: camera}[opened](its)
    return opened


def sample(its: Task) -> None:
    """Draw the choice of a test picture: data set, class, number, next, random."""
    here = [name for name, spec in data.DATASETS.items() if spec.shape == its.spec.shape and data.can_show(name)]
    source, number = _started(here, its)
    st.session_state["input_data"] = source
    names = data.DATASETS[source].classes
    if st.session_state.get("input_class") not in (ANY, *names):
        st.session_state["input_class"] = ANY
    last = int(data.shown(source).numbers[-1])
    number = st.session_state["input_number"] = pickers.nearest(source, min(number, last), number)

    with st.container(key="page_choices", horizontal=True, vertical_alignment="bottom"):
        titles = {name: data.DATASETS[name].title for name in here}
        st.segmented_control(
            "Pictures", here, key="input_data", format_func=titles.__getitem__, required=True,
            on_change=_start, args=(_first,),
        )  # fmt: skip
        st.selectbox("Which", [ANY, *names], key="input_class", width=160, on_change=_start, args=(_first,))
        st.number_input("Number", 0, last, key="input_number", width=128, on_change=_start, args=(_typed, number))
        st.button("Next", key="input_next", on_click=_start, args=(_next,))
        st.button("Random", key="input_random", on_click=_start, args=(random.choice,))
    st.caption("What you choose appears on the pad. These are test pictures: no model here was trained on them.")


def file(its: Task) -> None:
    """Draw the choice of a picture file, and the result of the last one."""
    st.file_uploader(
        "A photograph or drawing: PNG, JPEG, WebP, BMP or GIF, up to 20 MB and 50 megapixels",
        key="input_file", on_change=_receive, args=(FILE, "input_file", its),
    )  # fmt: skip
    _say(FILE, its)


def camera(its: Task) -> None:
    """Draw the camera, or the reason why it is unavailable, and the result of the last photograph."""
    refusal = camera_refusal(st.context.url, _title(FILE))
    if refusal:
        st.info(verbatim(refusal))
        return
    st.camera_input(
        "Hold a digit on paper in front of the camera" if its.spec.ink else "Take a picture", key="input_camera",
        width=420, on_change=_receive, args=(CAMERA, "input_camera", its),
    )  # fmt: skip
    _say(CAMERA, its)


def in_memory() -> None:
    """Keep uploads in memory; by default, Starlette writes forms of more than one megabyte to disk."""
    from starlette.formparsers import MultiPartParser

    MultiPartParser.spool_max_size = pictures.MOST_BYTES * 2


def _outside() -> _Received:
    found: _Received = st.session_state.setdefault(_MEMORY, _Received())
    return found


def _title(name: str) -> str:
    return INPUTS[name].capitalize()


def _open() -> None:
    url_state.set_value(**{WORD: st.session_state[WORD]})


# A test picture


def _started(here: list[str], its: Task) -> tuple[str, int]:
    """Return the test picture in the URL, or the first one of the data set last chosen, or else of the task's."""
    source, _, number = st.query_params.get("start", "").partition(".")
    if source in here and number.isascii() and number.isdecimal() and len(number) < 10:
        return source, int(number)
    last = st.session_state.get("input_data")
    return (last if last in here else its.data), 0


def _start(which: Callable[..., int], *more: int) -> None:
    """Start from the test picture that `which` selects from the matching numbers; `more` are further arguments."""
    source, wanted = st.session_state["input_data"], st.session_state["input_class"]
    names = data.DATASETS[source].classes
    shown = data.shown(source)
    fitting = shown.numbers[shown.labels == names.index(wanted)] if wanted in names else shown.numbers
    _outside().waiting = None
    url_state.set_value(start=f"{source}.{which([int(number) for number in fitting], *more)}", strokes=None)


def _first(fitting: list[int]) -> int:
    return fitting[0]


def _next(fitting: list[int]) -> int:
    return next((number for number in fitting if number > st.session_state["input_number"]), fitting[0])


def _typed(_: list[int], before: int) -> int:
    return pickers.nearest(st.session_state["input_data"], int(st.session_state["input_number"]), before)


# An uploaded picture


def _receive(by: str, key: str, its: Task) -> None:
    """Read the received picture and pass it to the pad, or remember why it was refused."""
    outside = _outside()
    outside.refused.pop(by, None)
    received = st.session_state[key]
    if received is None:  # the upload was removed; the pad keeps its drawing
        return
    try:
        # Always read in colour, since the picture can later be put on another task's pad.
        outside.upload = pictures.read(received.getvalue(), colours=True)
    except AttnvizError as error:
        outside.refused[by] = str(error)
        return
    outside.by, outside.dark, outside.box = by, None, None
    _hand_over(its)


def _hand_over(its: Task) -> None:
    """Pass the picture to the pad under a new name, unless it is empty."""
    outside = _outside()
    assert outside.upload is not None and outside.upload.colours is not None
    outside.refused.pop(outside.by, None)
    outside.found = None
    if its.spec.ink:
        outside.found = photograph.find(outside.upload.colours, outside.dark, outside.box)
        canvas = outside.found.canvas
    else:  # a photograph is used whole
        picture = outside.upload.colours if its.channels == 3 else outside.upload.grey
        square = checked(its.on_pad(checked(picture)))
        canvas = its.on_pad(scaled(square, its.canvas, its.canvas))
    if (canvas >= FAINT).any():
        outside.waiting = Base(f"{outside.by}-{secrets.token_hex(4)}", canvas)
    else:
        at_edge = outside.found is not None and photograph.EDGE in outside.found.notes
        outside.refused[outside.by] = EMPTY_BOX if outside.box else photograph.EDGE if at_edge else EMPTY


def _turn(its: Task) -> None:
    outside = _outside()
    chosen = st.session_state["input_dark"]
    if chosen is not None and outside.found and chosen != outside.found.dark:
        outside.dark = chosen
        _hand_over(its)


def _boxed(its: Task) -> None:
    """Search for the digit in the box that the visitor has drawn, or everywhere again."""
    outside = _outside()
    if outside.upload is None:
        return
    rows, columns = outside.upload.grey.shape
    outside.box = drawn_box("input_photograph", rows, columns)
    _hand_over(its)


def _say(by: str, its: Task) -> None:
    """Draw the result of the last picture, and the choice of its ink."""
    outside = _outside()
    if by in outside.refused:
        st.error(verbatim(f"{outside.refused[by]} The pad stays as it was."))
    if outside.upload is None or outside.by != by:
        return
    found, beside = outside.found, st.container()
    if found and outside.upload.colours is not None:
        picture, beside = st.columns([1, 3])
        with picture:
            shown_photograph(
                outside.upload.colours, outside.box or found.box, key="input_photograph", own=outside.box is not None,
                on_box=lambda: _boxed(its),
            )  # fmt: skip
    with beside:
        _say_how(its, outside, by in outside.refused)


def _say_how(its: Task, outside: _Received, refused: bool) -> None:
    assert outside.upload is not None
    found = outside.found
    with st.container(key="page_choices", horizontal=True, vertical_alignment="bottom"):
        if found:
            st.session_state["input_dark"] = found.dark
            st.segmented_control(
                "Against its background the ink is", [True, False], key="input_dark", format_func=_DARK.__getitem__,
                required=True, on_change=_turn, args=(its,),
            )  # fmt: skip
        st.button("Put it back on the pad", key="input_again", on_click=_hand_over, args=(its,))
    which = "The last picture that could be read: " if refused else ""
    how = "as found" if outside.dark is None else "as you chose"
    ink = f"; ink {_DARK[found.dark]} than its background, {how}" if found else ""
    kept = "The server keeps it only in memory and only for this visit."
    words = [f"{which}{outside.upload.format}{ink}.", *outside.upload.notes, *(found.notes if found else ()), kept]
    st.caption(verbatim(" ".join(words)))

"""The draw page: the answers and maps of every model while a picture is being drawn."""

import re

import streamlit as st

from attnviz import data
from attnviz.errors import AttnvizError, BadInput, UnknownName
from attnviz.subjects import Picture
from attnviz.ui.components.drawing_pad import Base, Sheet, clicked_input, drawing_pad, on_pad, seen_on_pad, shown_on_pad
from attnviz.ui.components.drawn import Drawn, drawn_from_url, drawn_to_url, pinned_from_url, shown_to_url
from attnviz.ui.draw import other_inputs, panels
from attnviz.ui.draw.tasks import Task
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import preload
from attnviz.ui.shared import faults, page, url_state
from attnviz.ui.shared.wording import verbatim

PAD = "pad"
HEADED = "draw.task"  # session state key: the task named at the top of the page

FOUR_OR_NINE = (
    "ARcV8AeQAzUwNzA1MCE8DUgLSA1GEEYWRhZGFkY8FkgISgpICkIRQCM-I0AlPiMXFIgLkAMITAhKBkwISghMCEoDTAdKB0wJSgdKB0wJSgdMCUoH"
    "TAlKB0wJSk9L"
)
SMALL_THREE = "AQkS6AKsAjopPBtCHDokB0YFSD0oOyZCIEAgGjoISB02Oyg9FkEZQxm2og"  # a 3 drawn in a corner
HINTS = {True: "Draw a digit here", False: "Draw here, or start from a picture"}  # for digits, and for anything else
TRIES = [
    ("a 4, or a 9?", {"strokes": FOUR_OR_NINE}),
    ("a small 3, as it is", {"strokes": SMALL_THREE, "centred": "no"}),
    ("the same, centred", {"strokes": SMALL_THREE}),
]


def main() -> None:
    its = panels.task(panels.offered())
    st.session_state[HEADED] = its
    page.start("Draw", its.question, tries=TRIES if its.digits else ())
    draw()
    preload.soon()


@st.fragment
def draw() -> None:
    """Draw the pad and the panels: everything that a pen stroke changes, so that nothing else runs again."""
    url_state.catch_up()
    offered = panels.offered()
    its = panels.task(offered)
    if st.session_state[HEADED] != its:
        st.rerun()  # the top of the page names another task
    with page.sentences():
        panels.choose_task(its, offered)
        drawn, sentences = drawn_from_url(st.query_params.to_dict())
        base = None
        try:
            base = named(drawn.base, its) if drawn.base else None
        except AttnvizError as error:
            sentences.append(f"{error} The pad starts without that picture.")
        pinned, more = pinned_from_url(st.query_params.to_dict())
        pinned_base = None
        try:
            pinned_base = named(pinned.base, its) if pinned and pinned.base else None
        except AttnvizError as error:
            pinned, more = None, [f"{error} Nothing is pinned."]
        for sentence in [*sentences, *more]:
            st.warning(verbatim(sentence))
        known = Drawn(drawn.drawing, base.name if base else None, drawn.centred)
        outside = other_inputs.given(PAD)
        if outside:
            known, base = Drawn("", outside.name, drawn.centred), outside
        names = panels.shown(its)
        offers = [(row, row.on_drawing) for row in MECHANISMS.values() if row.on_drawing]
        cards = panels.on_cards(names, its, settled=any(offer.word in st.query_params for _, offer in offers))
        with st.container(key="other_inputs"):  # always present, so that the pad below keeps its position
            opened = other_inputs.show(clicked_input(PAD), its)
        drawing_pad(
            known,
            key=PAD,
            sheet=Sheet(its.canvas, its.side, its.channels, centres=its.spec.ink, hint=HINTS[its.digits]),
            samples=[Base(*one) for one in its.samples()],
            base=base,
            shown=panels.asked(cards, pinned),
            pinned_base=pinned_base,
            inputs=other_inputs.INPUTS,
            opened=opened,
            on_change=keep,
            cards=cards,
        )
        panels.choose(names, its)
        for row, offer in offers:
            with faults.drawing(row, "offer"):
                offer.show(names, seen_on_pad(PAD))
        url_state.state(**{panels.WORD: ",".join(names)})


def keep() -> None:
    """Write the drawing and the state of the panels into the URL."""
    drawn, shown = on_pad(PAD), shown_on_pad(PAD)
    words = {**(drawn_to_url(drawn) if drawn else {}), **(shown_to_url(shown) if shown else {})}
    if words:
        url_state.set_value(**words)


def named(name: str, its: Task) -> Base:
    """Return the test picture with a name such as "strokes.12"; the error for another name lists the choices."""
    source, _, number = name.partition(".")
    if source not in data.DATASETS or data.DATASETS[source].target.per_step:
        raise UnknownName("data set of single pictures", source, list(data.DATASETS))
    count = data.DATASETS[source].counts["test"]
    if not re.fullmatch("[0-9]{1,9}", number) or int(number) >= count:
        raise BadInput(f"The URL starts from {name!r}, but {source} has pictures 0 to {count - 1:,}.")
    shown = Picture(source, int(number))
    return Base(f"{source}.{int(number)}", its.on_pad(shown.picture), shown.target)


main()

"""Pixel attention: where each pixel of a digit takes its information from, in every head."""

import streamlit as st

from attnviz import cards
from attnviz.subjects import Net, Picture, Subject
from attnviz.subjects.history import key_of
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.pixel_attention import MECHANISM, explorer, first_look
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.server import preload
from attnviz.ui.shared import accuracy, experiments, page, pickers, url_state

MODEL, FIRST_MODEL = first_look.NAME, "pixel_attention.1v8"  # the second: what links of version 1 mean
RESULTS = "pixel_attention.results"  # the net and the data set whose figures stand below

TRIES = [
    ("1 or 8: the loop of an 8", {"model": FIRST_MODEL, "data": "strokes", "number": "23", "query": "12,13"}),
    (
        "1 or 8: while it learns",
        {"model": key_of(FIRST_MODEL, 1), "data": "strokes", "number": "23", "query": "12,13"},
    ),
    ("ten digits: a 3", {"model": MODEL, "data": "strokes", "number": "4", "query": "9,8"}),
]


def main() -> None:
    page.start(
        MECHANISM.title,
        "Where does this pixel take its information from? Point at the digit: every head answers.",
        tries=TRIES,
    )
    st.session_state[RESULTS] = None  # nothing yet, so that `see` need not ask for it again
    seen = see()
    if seen:
        net, source = seen
        with page.sentences(), st.container(key="results"):
            accuracy.show(net, source)
        st.session_state[RESULTS] = net.key, source
    preload.soon()


@st.fragment
def see() -> tuple[Net, str] | None:
    """Draw the choices, the viewer and the experiments: everything that another picture changes.

    Returns:
        The net that was chosen, and the data set whose test pictures it is shown with; None where they could not be
        shown.
    """
    url_state.catch_up()
    with page.sentences():
        old = url_state.version() == url_state.FIRST
        with page.choices():
            names = [name for name in cards.names() if name.split(".")[0] in MECHANISM.models]
            net = pickers.net(names, FIRST_MODEL if old else MODEL, MECHANISM.models)
            opens = None if old else Picture(first_look.SOURCE, first_look.NUMBER)
            subject = Subject(net, pickers.example(net, opens))
        second_training.slider(subject)
        view, numbers = explorer.look(subject)
        pickers.more(subject)
        explorer.explain(subject, view, numbers)
        experiments.choose(choice.EXPERIMENTS, subject)
        url_state.state(**pickers.stated(subject))
        source = pickers.tests(subject)
        if st.session_state[RESULTS] not in (None, (net.key, source)):
            st.rerun()  # the results below belong to another net or data set
        return net, source
    return None


main()

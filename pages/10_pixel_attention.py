"""Pixel attention: where each pixel of a digit takes its information from, in every head."""

import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.ui.mechanisms.pixel_attention import MECHANISM, explorer, first_look
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.server import preload
from attnviz.ui.shared import accuracy, experiments, page, pickers, url_state

MODEL, FIRST_MODEL = first_look.NAME, "pixel_attention.1v8"  # the second: what links of version 1 mean
SAID = "pixel_attention.said"  # the model and data set whose figures stand below

TRIES = [
    ("the loop of an 8", {"model": FIRST_MODEL, "data": "strokes", "number": "23", "query": "12,13"}),
    (
        "ink against background",
        {"model": FIRST_MODEL, "data": "strokes", "number": "6", "query": "14,16", "key": "3,3"},
    ),
    ("a 3, with positions", {"model": MODEL, "data": "strokes", "number": "4", "query": "9,8"}),
]


def main() -> None:
    page.start(
        MECHANISM.title,
        "Where does this pixel take its information from? Move over the digit: every head answers.",
        tries=TRIES,
    )
    st.session_state[SAID] = None  # nothing yet, so that `see` need not ask for it again
    seen = see()
    if seen:
        card, source = seen
        with page.sentences(), st.container(key="results"):
            accuracy.show(card, source)
        st.session_state[SAID] = card.name, source
    preload.soon()


@st.fragment
def see() -> tuple[Card, str] | None:
    """Draw the choices, the viewer and the experiments: everything that another picture changes.

    Returns:
        The model and the data set that were chosen; None where they could not be shown.
    """
    url_state.catch_up()
    with page.sentences():
        old = url_state.version() == url_state.FIRST
        with page.choices():
            names = [name for name in cards.names() if name.split(".")[0] in MECHANISM.models]
            card = pickers.model(names, FIRST_MODEL if old else MODEL)
            chosen = pickers.picture(card, None if old else pickers.Picture(first_look.SOURCE, first_look.NUMBER))
        view, numbers = explorer.look(card, chosen)
        pickers.more(card, chosen)
        explorer.explain(card, view, numbers)
        experiments.choose(choice.EXPERIMENTS, card, chosen)
        url_state.state(**pickers.stated(card, chosen))
        source = pickers.tests(card, chosen)
        if st.session_state[SAID] not in (None, (card.name, source)):
            st.rerun()  # the results below belong to another model or data set
        return card, source
    return None


main()

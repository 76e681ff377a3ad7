"""Pixel attention: where each pixel of a digit takes its information from, in every head."""

import streamlit as st

from attnviz import cards
from attnviz.subjects import Net, Picture, Subject
from attnviz.subjects.history import key_of
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.pixel_attention import MECHANISM, explorer, first_look
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.server import preload
from attnviz.ui.shared import experiments, mechanism_page, page, pickers, url_state
from attnviz.ui.shared.results import accuracy

MODEL, FIRST_MODEL = first_look.NAME, "pixel_attention.1v8"  # FIRST_MODEL is the default in links of version 1

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
    mechanism_page.follow(see, results)
    preload.soon()


def see() -> tuple[Net, str]:
    """Draw all parts that depend on the picture, and return the chosen net and the data set of its test pictures."""
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
    return net, subject.example.data or pickers.default_source(net)


def results(net: Net, source: str) -> None:
    """Draw the accuracy of a net on the test pictures of a data set."""
    with st.container(key="results"):
        accuracy.show(net, source)


main()

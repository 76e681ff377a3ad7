"""The paper revisited: its pictures and its question, with the models and numbers of this app. For researchers."""

import streamlit as st

from attnviz import cards
from attnviz.subjects import Subject
from attnviz.ui.mechanisms.pixel_attention import MECHANISM, explorer, paper_question
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.server import preload
from attnviz.ui.shared import experiments, page, pickers, url_state

MODEL = "pixel_attention.1v8"
EIGHT = {"data": "strokes", "number": "23"}
TRIES = [
    ("24 heads: the paper's figure 10", {"model": f"{MODEL}-augmented", **EIGHT, "experiment": "paper"}),
    ("intensities 0 to 255: divided scores", {"model": f"{MODEL}-unscaled", **EIGHT, "experiment": "temperature"}),
    ("one token: what attention does", {"model": f"{MODEL}-one-token", **EIGHT, "experiment": "one_token"}),
]


def main() -> None:
    page.start(
        "The paper revisited",
        "Why do the paper's maps show no local pattern?",
        tries=TRIES,
    )
    see()
    preload.soon()


@st.fragment
def see() -> None:
    """Draw the choices, the viewer, the paper's experiments and its question."""
    url_state.catch_up()
    with page.sentences():
        with page.choices():
            names = [name for name in cards.names() if name.split(".")[0] in MECHANISM.models]
            net = pickers.net(names, MODEL, MECHANISM.models)
            subject = Subject(net, pickers.example(net))
        explorer.look(subject)
        pickers.more(subject)
        experiments.choose(choice.OF_THE_PAPER, subject, heading="What the paper shows")
        stated = pickers.stated(subject)
        paper_question.show(stated)
        url_state.state(**stated)


main()

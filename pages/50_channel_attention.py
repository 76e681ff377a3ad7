"""Attention over channels: the gates of every block, their computation, and the answer while one is turned."""

import streamlit as st

from attnviz.subjects import Net, Picture, Subject
from attnviz.ui.components import gates
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.channel_attention import DATA, MECHANISM, MODEL, NUMBER, experiments, words
from attnviz.ui.mechanisms.channel_attention.view import GATES_VIEW
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose

GATES = "gates"
OPENS = Picture(DATA, NUMBER)
LAST = "6"  # the block whose gates differ most from picture to picture

EIGHT = {"model": MODEL, **OPENS.words}
TRIES = [
    ("a gate of the last block", {**EIGHT, "layer": LAST}),
    ("all gates open", {**EIGHT, "layer": LAST, "gates": "one"}),
    ("before and after a gate", {**EIGHT, "layer": LAST, "experiment": "maps"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES)
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the gates, and everything else that depends on the picture."""
    opening = {} if st.query_params else {"layer": LAST}
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models)
        subject = Subject(net, pickers.example(net, OPENS))
    second_training.slider(subject)
    state = gates.FIELDS.read({**opening, **st.query_params.to_dict()})
    keep = mechanism_page.keep(gates.FIELDS, gates.settled_view, GATES)
    gates.gates(GATES_VIEW.of(subject), key=GATES, state=state, on_change=keep)
    pickers.more(subject)
    page.meaning(words.means(subject), words.does_not_show(subject))
    choose(experiments.EXPERIMENTS, subject)
    url_state.state(**pickers.stated(subject), **opening)
    return net


main()

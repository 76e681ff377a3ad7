"""Sequences: a strip of digits that is read step by step, and the attention of each step."""

import streamlit as st

from attnviz.subjects import Net, Subject, usable
from attnviz.ui.components import alignment
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.sequences import MECHANISM, MODEL, choose, curves, experiments, own_strip, words
from attnviz.ui.mechanisms.sequences.view import ALIGNMENT_VIEW
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose as choose_experiment

KEY = "alignment"

HERE = {"model": MODEL, **choose.opening().words}
TRIES = [
    ("watch it read", {**HERE, "at": "3"}),
    ("move the weights", {**HERE, "at": "3", "moved": "3.11"}),
]
ONE_VECTOR = ("one vector, 12 digits", {"model": experiments.ONE_VECTOR, **choose.opening(12).words})
MASKED = (
    "a Transformer, masked",
    {"model": experiments.TRANSFORMER, **choose.opening(12).words, "layer": "decoder-1", "told": "right"},
)  # if no network with one vector has been trained


def main() -> None:
    last = ONE_VECTOR if experiments.ONE_VECTOR in usable([experiments.ONE_VECTOR]) else MASKED
    mechanism_page.draw(
        MECHANISM, words.QUESTION, words.NONE, see, tries=[*TRIES, last], controls=True, compared=curves.is_compared
    )
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the strip with the text read from it, and everything else that depends on the strip."""
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models)
        strip = choose.strip()
    subject = Subject(net, strip)
    second_training.slider(subject)
    if choose.is_drawing():
        own_strip.show(strip)
    state = alignment.FIELDS.read(st.query_params.to_dict())
    keep = mechanism_page.keep(alignment.FIELDS, alignment.settled_view, KEY)
    alignment.alignment(ALIGNMENT_VIEW.of(subject), key=KEY, state=state, on_change=keep)
    page.meaning(words.means(subject, state), words.does_not_show())
    choose_experiment(experiments.EXPERIMENTS, subject)
    url_state.state(model=net.key, **strip.words)
    return net


main()

"""Spatial transformers: the grid at which a network samples its picture, and the answer while both are moved."""

import streamlit as st

from attnviz.subjects import Net, Picture, Subject
from attnviz.subjects.history import key_of
from attnviz.ui.components import sampling_grid
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.spatial_transformer import DATA, MECHANISM, MODEL, NUMBER, experiments, words
from attnviz.ui.mechanisms.spatial_transformer.view import GRID_VIEW
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose

GRID = "grid"
LEARNING = "spatial_transformer.rotated-only"  # a checkpoint with a history
OPENS = Picture(DATA, NUMBER)

HERE = {"model": MODEL, **OPENS.words}
TRIES = [
    ("turn the digit", {**HERE, "rotate": "60"}),
    ("turned, while it learns", {**HERE, "model": key_of(LEARNING, 0), "rotate": "60"}),
    ("a grid of your own", {**HERE, "drag": "grid", "theta": "0.5,-0.4,0,0.4,0.5,0"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES)
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the picture with its grid, and everything else that depends on the picture."""
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models)
        subject = Subject(net, pickers.example(net, OPENS))
    second_training.slider(subject)
    state = sampling_grid.FIELDS.read(st.query_params.to_dict())
    keep = mechanism_page.keep(sampling_grid.FIELDS, sampling_grid.settled_view, GRID)
    sampling_grid.sampling_grid(GRID_VIEW.of(subject), key=GRID, state=state, on_change=keep)
    pickers.more(subject)
    page.meaning(words.means(subject), words.does_not_show())
    choose(experiments.EXPERIMENTS, subject)
    url_state.state(**pickers.stated(subject))
    return net


main()

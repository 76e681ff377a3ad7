"""Vision transformers: what each patch of a picture takes from the others, in every head of every layer."""

import streamlit as st

from attnviz.subjects import Net, Picture, Subject
from attnviz.ui.components.layer_board import FIELDS, layer_board, settled_view
from attnviz.ui.explorer import own_model
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.vision_transformer import (
    DATA,
    HEAD,
    LAYER,
    MECHANISM,
    MODEL,
    NUMBER,
    beside,
    experiments,
    words,
)
from attnviz.ui.mechanisms.vision_transformer.derived import LAYERS_VIEW, layers_of
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, own_models, page, pickers, url_state
from attnviz.ui.shared.experiments import choose

BOARD, CAPTURED = "layers", "captured_layers"
OPENS = Picture(DATA, NUMBER)

EIGHT = {"model": MODEL, **OPENS.words}
TRIES = [
    ("what the class token takes", {**EIGHT, "query": "0,1", "layer": "4"}),
    ("what each token receives", {**EIGHT, "direction": "received", "layer": LAYER}),
    ("switch heads off", {**EIGHT, "experiment": "off"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES)
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the board of layers, and everything else that another picture changes."""
    opening = {} if st.query_params else {"layer": LAYER, "head": HEAD}
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models, captured=True)
        mine = own_models.is_own(net)
        subject = Subject(net, own_model.choose() if mine else pickers.example(net, OPENS))
        kind = "" if mine else beside.choose(subject)
    if mine:
        own_model.board(subject, CAPTURED)
        page.link(
            "00_explorer.py",
            "Its gates, and what was refused",
            model=net.key,
            **subject.example.words,
        )
        url_state.state(model=net.key, **subject.example.words)
        return net
    second_training.slider(subject)
    state = FIELDS.read({**opening, **st.query_params.to_dict()})
    if kind:
        beside.draw(subject, kind, lambda: board(subject, state), state)
    else:
        board(subject, state)
    pickers.more(subject)
    view = layers_of(subject)
    page.meaning(words.means(view), words.does_not_show())
    choose(experiments.EXPERIMENTS, subject)
    url_state.state(**pickers.stated(subject), **opening)
    return net


def board(subject: Subject, state: dict[str, object]) -> None:
    """Draw the board of layers."""
    keep = mechanism_page.keep(FIELDS, settled_view, BOARD)
    layer_board(LAYERS_VIEW.of(subject), key=BOARD, state=state, on_change=keep)


main()

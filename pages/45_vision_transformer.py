"""Vision transformers: what each patch of a picture takes from the others, in every head of every layer."""

import streamlit as st

from attnviz.subjects import Example, Net, Picture, Subject
from attnviz.ui.components.captured_board import FIELDS as OF_CAPTURED
from attnviz.ui.components.layer_board import FIELDS, layer_board, settled_view
from attnviz.ui.explorer import own_model, own_passes
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
        kind = beside.choose(subject.example, any_example=mine)
    if mine:
        captured(subject, kind)
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
        beside.draw(subject.example, kind, beside.ours(subject, lambda: board(subject, state), state))
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


def captured(subject: Subject, kind: str) -> None:
    """Draw the board, or two of them, of a visitor's own model."""

    def second(other: Example, kind: str) -> None:
        own_model.board(
            Subject(subject.net, other), beside.KEY, queries=subject.example if kind == "across" else None,
            state=beside.state_of(kind, OF_CAPTURED, OF_CAPTURED.read(st.query_params.to_dict())),
            on_change=beside.keep_of(kind, OF_CAPTURED, settled_view),
        )  # fmt: skip

    def other(first: Example) -> Example:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            return own_model.choose(first)

    st.caption(own_model.STAYS)
    drawn: list[bool] = []
    boards = beside.Boards(lambda: drawn.append(own_model.board(subject, CAPTURED)), second, other, own_model.named)
    if kind:
        beside.draw(subject.example, kind, boards)
    else:
        boards.first()
    if any(drawn):
        own_model.board_meaning(subject)
        choose(experiments.CAPTURED, subject, own_passes.kept_for)


main()

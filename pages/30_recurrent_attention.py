"""Recurrent attention: a path of glimpses over a picture, what the retina sees, and what the model believes."""

import streamlit as st

from attnviz.subjects import EXAMPLES, Net, Picture, Subject
from attnviz.ui.components.glimpse_player import FIELDS, glimpse_player, settled_view
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.recurrent_attention import MECHANISM, clutter, experiments, first_look, words
from attnviz.ui.mechanisms.recurrent_attention.view import GLIMPSES_VIEW
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose
from attnviz.views.glimpses import draw_of

MODEL = "recurrent_attention.cluttered"
KEY = "glimpses"

EIGHT = {"model": "recurrent_attention.digits", "data": "strokes", "number": "23"}
TRIES = [
    ("ten digits: six glimpses", EIGHT),
    ("ten digits: one moved", {**EIGHT, "glimpse": "3", "moved": "3.5.5"}),
    ("ten digits: does it matter?", {**EIGHT, "experiment": "depends"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES, controls=True)
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the player, and everything else that depends on the picture."""
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models)
        chosen, thrown = clutter.around(net, pickers.example(net, opening(net)))
    subject = Subject(net, chosen)
    second_training.slider(subject)
    state = FIELDS.read(st.query_params.to_dict())
    draw = draw_of(state)
    keep = mechanism_page.keep(FIELDS, settled_view, KEY)
    glimpse_player(GLIMPSES_VIEW.of(subject, draw=draw), key=KEY, state=state, on_change=keep)
    pickers.more(subject)
    view = first_look.view(subject, draw)
    page.meaning(words.means(view, net, moved=bool(state.get("moved"))), words.does_not_show(net))
    choose(experiments.EXPERIMENTS, subject, view)
    url_state.state(**pickers.stated(subject), **thrown)
    return net


def opening(net: Net) -> Picture | None:
    """Return the picture to show if the URL names none, or None if it names one."""
    named = st.query_params
    if any(field in named for field in ("number", *EXAMPLES)):
        return None
    source = named.get("data", pickers.default_source(net))
    return first_look.opens(net, source) if source in pickers.sources(net) else None


main()

"""Attention over blocks: the cells of a feature map from which a cell takes its information, in every head."""

import streamlit as st

from attnviz.subjects import Net, Picture, Subject
from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.ui.dot_product.attention_view import ATTENTION_VIEW, attention
from attnviz.ui.live import jacobian_map, second_training
from attnviz.ui.mechanisms.cnn_attention import DATA, HEAD, MECHANISM, MODEL, NUMBER, experiments, words
from attnviz.ui.server import preload
from attnviz.ui.shared import cache, mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose
from attnviz.views.attention import FIELDS

VIEWER = "blocks"
UNIT = "block"

OPENS = Picture(DATA, NUMBER)

EIGHT = {"model": MODEL, **OPENS.words}
TRIES = [
    ("a block of an 8", {**EIGHT, "query": "3,4", "head": HEAD}),
    ("what each block receives", {**EIGHT, "direction": "received"}),
    ("is it worth it?", {**EIGHT, "experiment": "who"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES)
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the viewer, and everything else that depends on the picture."""
    opening = {} if st.query_params else {"head": HEAD}
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models)
        subject = Subject(net, pickers.example(net, OPENS))
    second_training.slider(subject)
    state = FIELDS.read({**opening, **st.query_params.to_dict()})
    keep = mechanism_page.keep(FIELDS, settled_view, VIEWER)
    found = ATTENTION_VIEW.of(subject, unit=UNIT)
    pixel_viewer(found, key=VIEWER, state=state, asked=jacobian_map.asked(subject), on_change=keep)
    if said := nearly_even(subject):
        st.markdown(said)
    pickers.more(subject)
    page.meaning(words.means(attention(subject, UNIT)), words.does_not_show())
    choose(experiments.EXPERIMENTS, subject)
    url_state.state(**pickers.stated(subject), **opening)
    return net


def nearly_even(subject: Subject) -> str:
    """Return a sentence that attention is nearly even on the picture, or "" if it is not."""
    from attnviz.ui.mechanisms.cnn_attention import stages

    return words.even(attention(subject, UNIT), cache.of_subject(stages.evenly, subject))


main()

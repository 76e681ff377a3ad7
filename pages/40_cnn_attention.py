"""Attention over blocks: which cells of a feature map a cell takes its information from, in every head."""

from collections.abc import Mapping

import streamlit as st

from attnviz.cards import Card
from attnviz.ui.components import stage_maps
from attnviz.ui.components.pixel_viewer import FIELDS, AttentionView, pixel_viewer, settled_view
from attnviz.ui.live import jacobian_map
from attnviz.ui.mechanisms.cnn_attention import MECHANISM, experiments, words
from attnviz.ui.server import preload
from attnviz.ui.shared import cache, mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose

MODEL = "cnn_attention.digits"
VIEWER, MAPS = "blocks", "stages"

FIRST_HEAD = "7"  # the values of the first head are 0 where it looks most
OPENS = pickers.Picture("strokes", 23)

EIGHT = {"model": MODEL, "data": OPENS.source, "number": str(OPENS.number)}
TRIES = [
    ("a block of an 8", {**EIGHT, "query": "3,4", "head": FIRST_HEAD}),
    ("what each block receives", {**EIGHT, "direction": "received"}),
    ("who may see whom?", {**EIGHT, "experiment": "who"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES)
    preload.soon()


def see(names: list[str]) -> None:
    """Draw the choices, the viewer, and everything else that another picture changes."""
    opening = {} if st.query_params else {"head": FIRST_HEAD}
    with page.choices():
        card = pickers.model(names, MODEL)
        chosen = pickers.picture(card, OPENS)
    view = look(card, chosen, opening)
    pickers.more(card, chosen)
    follow(card, chosen)
    page.meaning(words.means(view), words.does_not_show())
    choose(experiments.EXPERIMENTS, card, chosen, heading="Experiment")
    mechanism_page.results(MECHANISM, card)
    url_state.state(**pickers.stated(card, chosen), **opening)


def look(card: Card, chosen: pickers.Picture, opening: Mapping[str, str]) -> AttentionView:
    """Draw the attention of every block, and return what is drawn; `opening` are words for a URL that says nothing."""
    from attnviz.ui.mechanisms.cnn_attention import blocks

    view = cache.computed(blocks.view, card, chosen.source, chosen.number)
    state = FIELDS.read({**opening, **st.query_params.to_dict()})
    keep = mechanism_page.keep(FIELDS, settled_view, VIEWER)
    pixel_viewer(view, key=VIEWER, state=state, asked=jacobian_map.asked(card, chosen), on_change=keep)
    return view


def follow(card: Card, chosen: pickers.Picture) -> None:
    """Draw how the blocks come about: the maps of every convolution."""
    from attnviz.ui.mechanisms.cnn_attention import stages

    st.header("How a block comes about", anchor=False)
    st.markdown(words.STAGES)

    state = stage_maps.FIELDS.read(st.query_params.to_dict())
    view = cache.computed(stages.view, card, chosen.source, chosen.number)
    keep = mechanism_page.keep(stage_maps.FIELDS, stage_maps.settled_view, MAPS)
    stage_maps.stage_maps(view, key=MAPS, state=state, on_change=keep)


main()

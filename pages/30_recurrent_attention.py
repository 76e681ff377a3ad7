"""Recurrent attention: a path of glimpses over a picture, what the retina sees, and what the model believes."""

import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.ui.components.glimpse_player import FIELDS, draw_of, glimpse_player, settled_view
from attnviz.ui.mechanisms.recurrent_attention import MECHANISM, experiments, words
from attnviz.ui.server import preload
from attnviz.ui.shared import cache, page, pickers, result_dots, url_state
from attnviz.ui.shared.experiments import choose

MODEL = "recurrent_attention.cluttered"
KEY = "glimpses"

EIGHT = {"model": "recurrent_attention.digits", "data": "strokes", "number": "23"}
TRIES = [
    ("six glimpses of a digit", EIGHT),
    ("the third one moved", {**EIGHT, "glimpse": "3", "moved": "3.5.5"}),
    ("does it depend on the picture?", {**EIGHT, "experiment": "depends"}),
]


def main() -> None:
    page.start(MECHANISM.title, words.QUESTION, tries=TRIES)
    names = [name for name in cards.names() if name.split(".")[0] in MECHANISM.models]
    if not names:
        st.markdown(words.NONE)
        return
    with page.sentences():
        see(names)
    preload.soon()


@st.fragment
def see(names: list[str]) -> None:
    """Draw the choices, the player, and everything else that another picture changes."""
    url_state.catch_up()
    with page.sentences():
        with page.choices():
            card = pickers.model(names, MODEL)
            chosen = pickers.picture(card)
        state = FIELDS.read(st.query_params.to_dict())
        look(card, chosen, state)
        pickers.more(card, chosen)
        explain(card, chosen, state)
        url_state.state(**pickers.stated(card, chosen))


def look(card: Card, chosen: pickers.Picture, state: dict[str, object]) -> None:
    """Draw the player."""
    from attnviz.ui.mechanisms.recurrent_attention import glances

    view = cache.computed(glances.view, card, chosen.source, chosen.number, draw_of(state))

    def keep() -> None:
        settled = settled_view(KEY)
        if settled:
            url_state.set_value(**FIELDS.write(settled))

    glimpse_player(view, key=KEY, state=state, on_change=keep)


def explain(card: Card, chosen: pickers.Picture, state: dict[str, object]) -> None:
    """Explain what the path means and what it does not show, offer the experiments, and draw the results."""
    from attnviz.ui.mechanisms.recurrent_attention import glances

    view = cache.computed(glances.view, card, chosen.source, chosen.number, draw_of(state))
    page.meaning(words.means(view, card), words.does_not_show(card))
    choose(experiments.EXPERIMENTS, card, chosen, view)
    st.header("How accurate it is", anchor=False)
    task = result_dots.Task(card.recipe.data, card.recipe.classes)
    result_dots.of_mechanism(MECHANISM, task, key="results")
    page.link(result_dots.PAGE, "All results, with the tables of the papers", mechanism=MECHANISM.name)


main()

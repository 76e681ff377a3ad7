"""Recurrent attention: a path of glimpses over a picture, what the retina sees, and what the model believes."""

import streamlit as st

from attnviz import data
from attnviz.cards import Card
from attnviz.ui.components.glimpse_player import FIELDS, draw_of, glimpse_player, settled_view
from attnviz.ui.mechanisms.recurrent_attention import MECHANISM, clutter, experiments, first_look, words
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, page, pickers, url_state
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
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES, controls=True)
    preload.soon()


def see(names: list[str]) -> None:
    """Draw the choices, the player, and everything else that another picture changes."""
    with page.choices():
        card = pickers.model(names, MODEL)
        chosen, thrown = clutter.around(card, pickers.picture(card, opening(card)))
    state = FIELDS.read(st.query_params.to_dict())
    look(card, chosen, state)
    pickers.more(card, chosen)
    explain(card, chosen, state)
    url_state.state(**pickers.stated(card, chosen), **thrown)


def opening(card: Card) -> pickers.Picture | None:
    """Return the picture that is shown where the URL names none; None where it names one."""
    words = st.query_params
    if "number" in words or pickers.DRAWN in words:
        return None
    spec = data.spec(card.recipe.data)
    here = data.sources(spec.classes, spec.shape)
    source = words.get("data", pickers.default_source(card))
    return first_look.opens(card, source) if source in here else None


def look(card: Card, chosen: pickers.Picture, state: dict[str, object]) -> None:
    """Draw the player."""
    view = first_look.view(card, chosen, draw_of(state))
    glimpse_player(view, key=KEY, state=state, on_change=mechanism_page.keep(FIELDS, settled_view, KEY))


def explain(card: Card, chosen: pickers.Picture, state: dict[str, object]) -> None:
    """Explain what the path means and what it does not show, offer the experiments, and draw the results."""
    view = first_look.view(card, chosen, draw_of(state))
    page.meaning(words.means(view, card), words.does_not_show(card))
    choose(experiments.EXPERIMENTS, card, chosen, view)
    mechanism_page.results(MECHANISM, card)


main()

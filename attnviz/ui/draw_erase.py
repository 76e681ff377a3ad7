"""Erase what a model looks at: the experiment of the pixel page, on what is drawn on the draw page, on demand."""

import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.data import drawing
from attnviz.ui import address, page
from attnviz.ui.card_views import view_of
from attnviz.ui.experiments import erase
from attnviz.ui.pickers import Picture

WORD = "erase"  # in the address: whose picture is erased


def is_open() -> bool:
    """Say whether it is opened, and so wants to know what the models see."""
    return WORD in st.query_params


def show(names: list[str], seen: str | None) -> None:
    """Draw the choice of a model and, once one is chosen, what becomes of its answer.

    Args:
        names: of the checkpoints that have cards; those that attend among several tokens can be chosen.
        seen: what they saw last, as the word of a drawing; None while nothing is drawn, or known.
    """
    known = {card.name: card for card in map(cards.read, names) if _attends(card)}
    if not known:
        return
    name = address.choice(WORD, ["", *known], "")
    st.header("Erase what it looks at", anchor=False)
    st.markdown(
        "Remove the pixels that receive most of a model's attention, and as many at random with as much ink: does the "
        "answer hang on what it looks at?"
    )
    st.session_state[WORD] = name or None
    st.pills(
        "Model", list(known), key=WORD, format_func=lambda one: _called(known[one]), label_visibility="collapsed",
        on_change=_keep,
    )  # fmt: skip
    if not name:
        return
    if seen is None:
        st.info("Nothing is drawn yet: draw a digit above.")
        return
    card = known[name]
    with page.sentences():
        count, fill = erase.choices(card)
        if count:
            erase.one_picture(card, Picture(drawing.named(seen), 0), count, fill)
        else:
            st.info(f"Nothing is removed. Choose how many {erase.unit_of(card)} to take away.")


def _attends(card: Card) -> bool:
    view = view_of(card)
    return view.heads > 0 and view.page == "pixel_attention" and erase.refusal(card) is None


def _called(card: Card) -> str:
    return card.recipe.title


def _keep() -> None:
    address.put(**dict.fromkeys(erase.WORDS), **{WORD: st.session_state[WORD]})

"""Which experiment of the pixel page is open: all of them by name, in the order they are offered."""

import streamlit as st

from attnviz.cards import Card
from attnviz.ui import address, arrive, page
from attnviz.ui.experiments import (
    compare,
    erase,
    heads,
    one_token,
    outputs,
    paper,
    parts,
    positions,
    qkv,
    same,
    shuffle,
    temperature,
)
from attnviz.ui.pickers import Picture

EXPERIMENTS = {
    "shuffle": shuffle,
    "same": same,
    "parts": parts,
    "heads": heads,
    "qkv": qkv,
    "outputs": outputs,
    "compare": compare,
    "erase": erase,
    "paper": paper,
    "temperature": temperature,
    "positions": positions,
    "one_token": one_token,
}


def show(card: Card, picture: Picture) -> None:
    """Draw the choice of an experiment, and the one that is open.

    Args:
        card: of the model that is looked at.
        picture: what it looks at.
    """
    titles = {name: one.TITLE for name, one in EXPERIMENTS.items()}
    name = address.choice("experiment", ["", *titles], "")
    if name:
        arrive.here("experiment_here")
    st.header("Ask more", anchor=False)
    st.session_state["experiment"] = name or None
    st.pills(
        "Experiments", list(titles), key="experiment", format_func=titles.__getitem__,
        label_visibility="collapsed", on_change=_open,
    )  # fmt: skip
    if not name:
        return
    opened = EXPERIMENTS[name]
    st.markdown(opened.QUESTION)
    refused = opened.refusal(card)
    if refused:
        st.info(refused)
        return
    with page.sentences():
        opened.show(card, picture)


def _open() -> None:
    others = {word: None for one in EXPERIMENTS.values() for word in one.WORDS}
    address.put(**others, experiment=st.session_state["experiment"])

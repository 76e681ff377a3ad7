"""A visitor's own pictures, to train on: brought, chosen and removed by that visitor alone."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attnviz import data
from attnviz.data import own
from attnviz.errors import BadInput
from attnviz.recipes import Recipe
from attnviz.recipes.altered import DATA, suits
from attnviz.ui.shared import url_state, visitor
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import act
from attnviz.work.jobs import seen
from attnviz.work.jobs.seen import Seen


def suiting(recipe: Recipe) -> list[str]:
    """Return the visitor's data sets that a recipe can be trained on."""
    return [name for name in own.names(visitor.holder()) if suits(recipe, name)]


def hidden(one: Seen) -> bool:
    """Return whether a training is on pictures that somebody else has brought."""
    return one.recipe is not None and visitor.is_hidden(one.recipe)


def show(recipe: Recipe) -> None:
    """Draw the field for pictures of one's own, and those that are there.

    Args:
        recipe: that is to be trained on them.
    """
    like = data.spec(recipe.data)
    rows, columns, channels = like.shape
    with st.expander("Train on your own pictures", key="train_own"):
        st.caption(
            f"A zip with a folder of pictures for each class, or a .npz with images, uint8 (count, row, column), and "
            f"labels. From {own.FEWEST} to {own.PICTURES:,} pictures of 2 to {own.CLASSES} classes, at most "
            f"{own.LARGEST >> 20} MB. They become {rows} x {columns} pixels, {'grey' if channels == 1 else 'in colour'}"
            f"{', light ink on dark' if like.ink else ''}. Only this browser can see them, train on them and remove "
            "them; the names of the classes, and what a model learns, can be seen by everybody who uses this server."
        )
        with st.container(key="train_own_row", horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name of your pictures", key="train_own_title", placeholder="mine", width=220, max_chars=40)
            st.file_uploader("Pictures (.zip or .npz)", key="train_own_file")
        ready = bool(st.session_state["train_own_title"] and st.session_state["train_own_file"])
        st.button("Use these pictures", key="train_own_use", disabled=not ready, on_click=_bring, args=(recipe,))
        for name in own.names(visitor.holder()):
            its = data.spec(name)
            with st.container(key=f"own-{name}", horizontal=True, vertical_alignment="center"):
                counted = f"{its.counts['train']:,} pictures of {len(its.classes)} classes"
                st.markdown(f"**{verbatim(its.title)}**: {counted}", width="content")
                st.button("Remove", key=f"remove-{name}", on_click=act.do, args=(partial(_remove, name), "Removed."))


def _bring(recipe: Recipe) -> None:
    file, title = st.session_state["train_own_file"], st.session_state["train_own_title"]

    def bring() -> None:
        if file is None:
            raise BadInput("Choose a file first.")
        name = own.bring(file.getvalue(), title, data.spec(recipe.data), visitor.holder())
        url_state.set_value(**{DATA: name})

    act.do(bring, "Your pictures are here; the training that you start now is on them.")


def _remove(name: str) -> None:
    seen.again()
    if any(one.recipe is not None and one.recipe.data == name for one in seen.look()):
        raise BadInput("A training is on these pictures. Delete it first.")
    own.remove(name, visitor.holder())
    if st.query_params.get(DATA) == name:
        url_state.set_value(**{DATA: None})

"""Models that visitors keep: the form to keep one, the list of all, and their export and import as files."""

import streamlit as st

from attnviz import cards
from attnviz.errors import AttnvizError, BadInput
from attnviz.subjects import Net, usable
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import page
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access
from attnviz.work.jobs import keeping

DRAW = "05_draw.py"
"""The page on which all models classify a drawing."""


def keep(run: str, epoch: int) -> None:
    """Draw the name field and the button that keep an epoch."""
    word = st.text_input("Name to keep it under", key="train_word", placeholder="mine", width=220, max_chars=100)
    st.button(
        "Keep", key="train_do_keep", disabled=not word, on_click=access.do,
        args=(lambda: keeping.keep(run, epoch, word), f"It is kept as {word}: on its mechanism's page, and on Draw."),
    )  # fmt: skip


def show() -> None:
    """Draw the kept models, and the field for one that was kept elsewhere."""
    there = usable([name for name in cards.names() if cards.is_kept(name)])
    st.header("Your models", anchor=False)
    if not there:
        st.caption("No model is kept yet. Keep an epoch above, or add one that was downloaded elsewhere.")
    for name, net in there.items():
        with st.container(key=f"kept-{name.replace('.', '-')}", horizontal=True, vertical_alignment="center"):
            _one(name, net)
    with st.expander("Add a model that was downloaded elsewhere", key="train_bring"):
        _bring()


def _one(name: str, net: Net) -> None:
    st.markdown(f"**{verbatim(name)}**  \n{verbatim(net.title)}")
    for row in MECHANISMS.values():
        if net.architecture in row.models:
            page.link(row.page, "Look inside", model=name)
    page.link(DRAW, "Try it on a drawing", models=name)
    try:
        st.download_button(
            "Download", lambda: keeping.packed(name), f"{name}.zip", "application/zip", key=f"download-{name}",
            on_click="ignore",
        )  # fmt: skip
    except AttnvizError as error:
        st.caption(verbatim(str(error)))
    _remove(name)


def _remove(name: str) -> None:
    st.button("Remove", key=f"remove-{name}", on_click=access.do, args=(lambda: keeping.remove(name), "It is removed."))


def _bring() -> None:
    st.caption("A file from Download on this page, here or on another machine. It holds numbers, and runs no code.")
    with st.container(key="train_brought", horizontal=True, vertical_alignment="bottom"):
        word = st.text_input(
            "Name to keep it under", key="train_bring_word", placeholder="theirs", width=220, max_chars=100
        )
        file = st.file_uploader("A model, as one file (.zip)", key="train_bring_file")

    def bring() -> None:
        if file is None:
            raise BadInput("Choose a file first.")
        keeping.bring(file.getvalue(), word)

    st.button(
        "Add it", key="train_do_bring", disabled=not (word and file), on_click=access.do,
        args=(bring, f"It is kept as {word}: on its mechanism's page, and on Draw."),
    )  # fmt: skip

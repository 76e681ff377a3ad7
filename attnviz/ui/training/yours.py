"""A visitor's own pictures to train on, which only that visitor can upload, choose and remove."""

from functools import partial

import streamlit as st

from attnviz import data
from attnviz.data import brought, own
from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes import Recipe
from attnviz.recipes.altered import DATA, suits
from attnviz.ui.shared import url_state, visitor
from attnviz.ui.shared.jobs import Job
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access
from attnviz.work.jobs import seen
from attnviz.work.jobs.seen import Seen

AT_ONCE = 2.0  # seconds that a click waits; most files have been read by then
TICK = 0.5  # seconds between two updates of the progress

_WORK = "train_own_work"  # session state key: the pictures being read
_HERE = "Your pictures are here, and a training that you start now uses them."
_UNREAD = "Your pictures could not be read; the details are in the server's log."


def suiting(recipe: Recipe) -> list[str]:
    """Return the visitor's data sets that a recipe can be trained on."""
    return [name for name in own.names(visitor.holder()) if suits(recipe, name)]


def hidden(one: Seen) -> bool:
    """Return whether a training uses pictures that another visitor uploaded."""
    return one.recipe is not None and visitor.is_hidden(one.recipe)


def show(recipe: Recipe) -> None:
    """Draw the field for the visitor's own pictures, and the data sets already uploaded."""
    like = data.spec(recipe.data)
    rows, columns, channels = like.shape
    with st.expander("Train on your own pictures", key="train_own"):
        st.caption(
            "A zip with a folder of pictures for each class, or a .npz with images, uint8 (count, row, column), and "
            f"labels. From {brought.FEWEST} to {brought.PICTURES:,} pictures of 2 to {brought.CLASSES} classes, at "
            f"most {brought.LARGEST >> 20} MB. They become {rows} x {columns} pixels, "
            f"{'grey' if channels == 1 else 'in colour'}{', light ink on dark' if like.ink else ''}. Only this browser "
            "can see them, train on them and remove them; the names of the classes, and what a model learns, can be "
            "seen by everybody who uses this server."
        )
        with st.container(key="train_own_row", horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name of your pictures", key="train_own_title", placeholder="mine", width=220, max_chars=40)
            st.file_uploader("Pictures (.zip or .npz)", key="train_own_file")
        ready = bool(st.session_state["train_own_title"] and st.session_state["train_own_file"])
        if _WORK in st.session_state:
            st.button("Stop", key="train_own_stop", on_click=_stop)
            # Each tick draws the progress while a thread reads, so that the rest of the page stays responsive.
            st.fragment(_tick, run_every=TICK)()
        else:
            st.button("Use these pictures", key="train_own_use", disabled=not ready, on_click=_bring, args=(recipe,))
        for name in own.names(visitor.holder()):
            its = data.spec(name)
            with st.container(key=f"own-{name}", horizontal=True, vertical_alignment="center"):
                counted = f"{its.counts['train']:,} pictures of {len(its.classes)} classes"
                st.markdown(f"**{verbatim(its.title)}**: {counted}", width="content")
                st.button("Remove", key=f"remove-{name}", on_click=access.do, args=(partial(_remove, name), "Removed."))


def _bring(recipe: Recipe) -> None:
    file, title = st.session_state["train_own_file"], st.session_state["train_own_title"]

    def bring() -> None:
        if file is None:
            raise BadInput("Choose a file first.")
        work = own.Bringing(file.getvalue(), title, data.spec(recipe.data), visitor.holder())
        st.session_state[_WORK] = job = Job(work.step, work.parts)
        job.start()
        job.wait(job.count, AT_ONCE)
        _look(job)

    access.do(bring)
    if _WORK not in st.session_state and not st.session_state[access.SAID][1]:
        st.session_state[access.SAID] = (_HERE, "")


def _look(job: Job[str]) -> float:
    """Return the share of the pictures that has been read; once all have, select them."""
    try:
        parts = job.parts()
    except Exception as error:
        del st.session_state[_WORK]
        if isinstance(error, AttnvizError):
            raise
        raise BadInput(_UNREAD) from error
    if len(parts) == job.count:
        del st.session_state[_WORK]
        url_state.set_value(**{DATA: parts[-1]})
    return len(parts) / job.count


def _tick() -> None:
    job = st.session_state.get(_WORK)
    if job is None:
        return
    job.start()  # it stopped by itself while the visitor was on another page
    try:
        share = _look(job)
    except AttnvizError as error:
        st.session_state[access.SAID] = ("", str(error))
        st.rerun()
    if _WORK not in st.session_state:
        st.session_state[access.SAID] = (_HERE, "")
        st.rerun()
    st.progress(share, f"{share:.0%} of your pictures are read")


def _stop() -> None:
    job = st.session_state.pop(_WORK, None)
    if job is not None:
        job.stop()
        st.session_state[access.SAID] = ("Stopped. Pictures of which only a part was read are not kept.", "")


def _remove(name: str) -> None:
    seen.again()
    if any(one.recipe is not None and one.recipe.data == name for one in seen.look()):
        raise BadInput("A training uses these pictures. Delete it first.")
    own.remove(name, visitor.holder())
    if st.query_params.get(DATA) == name:
        url_state.set_value(**{DATA: None})

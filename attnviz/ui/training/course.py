"""The progress of trainings: their curves, their confusions, and an epoch to explore and to keep."""

from collections.abc import Mapping, Sequence

import streamlit as st

from attnviz.charts.epochs import curves
from attnviz.charts.tables import confusion
from attnviz.data.own import is_own
from attnviz.formatting import counted
from attnviz.recipes import RECIPES
from attnviz.subjects.history import key_of_run
from attnviz.training import mistakes, runs
from attnviz.ui.live import trainings
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import page
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import kept
from attnviz.work.jobs.seen import Seen

TOGETHER = 6
"""The maximum number of runs in one plot."""

FRONT = ("loss", "accuracy")
"""The curves that are always visible, if a training records them; all others are one click away."""

_RUNS = "train_runs"  # session state key: the chosen runs


def show(there: Sequence[Seen]) -> None:
    """Draw the curves of chosen runs, and the last epoch of one of them."""
    known = {run: title for one in there for run in one.runs if (title := trainings.title_of(run))}
    if not known:
        st.caption("The curves of a training appear here after its first epoch.")
        kept.show()
        return
    newest = sorted(known, key=trainings.written, reverse=True)
    st.session_state[_RUNS] = [run for run in st.session_state.get(_RUNS, []) if run in known] or newest[:1]
    st.header("What it has learnt", anchor=False)
    with st.container(key="train_choose_runs"):
        chosen = st.multiselect(
            "Runs", newest, key=_RUNS, format_func=lambda run: known.get(run, run), max_selections=TOGETHER
        )
    chosen = chosen or newest[:1]
    with page.sentences():
        _curves({known[run]: [one.values for one in runs.curve(run)] for run in chosen})
    for part in (_mistakes, _epoch):
        with page.sentences():
            part(chosen[-1], known[chosen[-1]])
    kept.show()


def _curves(told: Mapping[str, Sequence[Mapping[str, float | None]]]) -> None:
    """Draw the curves of runs, title -> epochs."""
    names = {name.removeprefix("train_").removeprefix("validation_") for one in told.values() for name in one[0]}
    ordered = sorted(names, key=lambda name: (name != "loss", name != "accuracy", name))
    front = [name for name in ordered if name in FRONT]
    for column, name in zip(st.columns(2), front, strict=False):
        column.markdown(curves(told, name), unsafe_allow_html=True)
    if rest := ordered[len(front) :]:
        words = ", ".join(name.replace("_", " ") for name in rest[:3]) + ", ..." * (len(rest) > 3)
        opened = st.expander(f"More curves: {verbatim(words)}", key="more_curves", on_change="rerun")
        if opened.open:
            columns = opened.columns(2)
            for place, name in enumerate(rest):
                columns[place % 2].markdown(curves(told, name), unsafe_allow_html=True)


def _mistakes(run: str, title: str) -> None:
    """Draw the confusions of a run's last epoch, and its first wrong answers."""
    found = mistakes.read(run)
    if found is None:
        return
    total, right = sum(map(sum, found.confusion)), sum(row[place] for place, row in enumerate(found.confusion))
    opened = st.expander(
        f"Its {counted(total - right, 'wrong answer')} of {total:,} after epoch {found.epoch}",
        key="train_wrong",
        on_change="rerun",
    )
    if not opened.open:
        return
    with opened:
        st.caption(f"{verbatim(title)}: on its validation part, which it is not trained on.")
        left, right_side = st.columns(2)
        with left, st.container(key="train_mistakes"):
            st.markdown(confusion(found.confusion, found.classes), unsafe_allow_html=True)
        with right_side:
            if not found.wrong:
                st.caption("Every answer is correct.")
                return
            pictures = [one.picture if one.shape[2] == 3 else one.picture[:, :, 0] for one in found.wrong]
            captions = [f"{found.classes[one.label]}, not {found.classes[one.answer]}" for one in found.wrong]
            st.image(
                pictures, captions, width=64, alt=[f"picture of {found.classes[one.label]}" for one in found.wrong]
            )
            if total - right > len(found.wrong):
                st.caption(f"The first {len(found.wrong)} of them; below each are its class and the answer.")


def _epoch(run: str, title: str) -> None:
    """Draw links to an epoch of a run, and the form that keeps it."""
    epochs = runs.epochs(run)
    if not epochs:
        return
    st.header("Look at it, and keep it", anchor=False)
    st.caption(verbatim(title))
    with st.container(key="train_keep", horizontal=True, vertical_alignment="bottom"):
        epoch = st.selectbox("Epoch", epochs[::-1], key=f"epoch-{run}-{epochs[-1]}", width=120)
        kept.keep(run, epoch)
        recipe = runs.read(run).recipe
        for row in MECHANISMS.values():
            if recipe.model in row.models and recipe.key in RECIPES:
                shown = {} if is_own(recipe.data) else {"data": recipe.data}
                page.link(row.page, "See this epoch", model=key_of_run(run, epoch), **shown)

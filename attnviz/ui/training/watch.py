"""The trainings that there are: how each stands, its buttons, and its curves."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attnviz import cards
from attnviz.errors import AttnvizError
from attnviz.figures.curves import curves
from attnviz.recipes import RECIPES
from attnviz.subjects.runs import key_of
from attnviz.training import runs
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import page
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access
from attnviz.work.jobs import keeping, progress, table

EVERY = 2.0
"""Seconds between two looks at trainings that go on."""

_SAID = "train_said"  # in the session: what the last button had to say
_DRAWN = "train_drawn"  # in the session: how the trainings stood when the page was drawn
_COLOURS = {"running": "green", "waiting": "blue", "finished": "gray", "stopped": "gray"}


def do(action: Callable[[], object], said: str = "") -> None:
    """Do what a button asks for, if the visitor may; the page then says what came of it.

    Args:
        action: to do.
        said: what is said where it was done.
    """
    try:
        access.check()
        action()
        st.session_state[_SAID] = (said, "")
    except AttnvizError as error:
        st.session_state[_SAID] = ("", str(error))


def said() -> None:
    """Draw what the last button had to say."""
    done, failed = st.session_state.pop(_SAID, ("", ""))
    if failed:
        st.error(verbatim(failed))
    elif done:
        st.success(verbatim(done))


def jobs() -> None:
    """Draw all trainings, and look again every two seconds while one goes on."""
    live = any(table.state(job).word in ("running", "waiting") for job in table.ids())
    st.session_state[_DRAWN] = None  # the whole page is drawn now: only what changes later is a reason to draw it again
    st.fragment(_list, run_every=EVERY if live else None)()


def _list() -> None:
    table.tend()
    there = table.ids()
    states = {job: table.state(job) for job in there}
    drawn = tuple((job, states[job].word, sum(len(runs.curve(run)) for run in _runs(job))) for job in there)
    before = st.session_state.get(_DRAWN)
    st.session_state[_DRAWN] = drawn
    if before is not None and before != drawn:
        st.rerun()  # the curves below have another point, or a training another state
    for job in sorted(there, key=lambda job: states[job].word not in ("running", "waiting")):
        with st.container(border=True, key=f"job-{job.replace('.', '-')}"):
            _job(job, states[job])


def _job(job: str, state: table.State) -> None:
    order = table.read(job)
    with page.sentences():
        recipe = order.made()
        changed = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in order.changes.items())
        seeds = f"seed{'s' * (len(order.seeds) > 1)} {', '.join(map(str, order.seeds))}"
        st.markdown(
            f"**{verbatim(recipe.title)}** :{_COLOURS.get(state.word, 'orange')}-badge[{state.word}]  \n"
            f"{verbatim(changed)}; {seeds}"
        )
        how = progress.of(job)
        if state.word == "running":
            left = "" if how.seconds is None else f"; at most {_minutes(how.seconds)} left"
            st.progress(how.share, f"Seed {how.seed}: {how.epoch} of at most {how.epochs} epochs done{left}")
        elif state.word == "finished":
            early = (
                "" if how.epoch >= how.epochs or recipe.patience is None else f", the last {recipe.patience} no better"
            )
            st.caption(f"Finished after {how.epoch} epochs{early}.")
        else:
            st.caption(verbatim(state.sentence))
    with st.container(horizontal=True, vertical_alignment="center", key=f"buttons-{job.replace('.', '-')}"):
        if state.word in ("running", "waiting"):
            _button(job, "Stop", lambda: table.stop(job), "It stops after this batch, and can be resumed.")
        else:
            if state.word != "finished":
                _button(job, "Resume", lambda: table.resume(job))
            _button(job, "Delete", lambda: table.delete(job), "It is deleted.")


def _runs(job: str) -> list[str]:
    try:
        return table.runs_of(job)
    except AttnvizError:
        return []


def _button(job: str, label: str, action: Callable[[], object], said: str = "") -> None:
    st.button(label, key=f"{label}-{job}", on_click=do, args=(action, said))


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds))} seconds" if seconds < 90 else f"{round(seconds / 60)} minutes"


def results() -> None:
    """Draw the curves of chosen runs, and what can be done with an epoch of one of them."""
    known = {run: _title(run) for job in table.ids() for run in _runs(job) if runs.curve(run)}
    if not known:
        st.caption("The curves of a training appear here after its first epoch.")
        return
    newest = sorted(known, key=lambda run: (runs.folder() / run / "curve.jsonl").stat().st_mtime_ns)
    st.session_state.setdefault("train_runs", newest[-1:])
    st.session_state["train_runs"] = [run for run in st.session_state["train_runs"] if run in known] or newest[-1:]
    chosen = st.multiselect("Runs", newest[::-1], key="train_runs", format_func=known.__getitem__, max_selections=6)
    told = {known[run]: [one.values for one in runs.curve(run)] for run in chosen or newest[-1:]}
    names = sorted(
        {name.removeprefix("train_").removeprefix("validation_") for one in told.values() for name in one[0]}
    )
    names.sort(key=lambda name: (name != "loss", name != "accuracy"))
    for column, name in zip(st.columns(2), names[:2], strict=False):
        column.plotly_chart(curves(told, name), key=f"curve-{name}", config={"displayModeBar": False})
    if names[2:]:
        opened = st.expander("More curves", key="more_curves", on_change="rerun")
        if opened.open:
            for name in names[2:]:
                opened.plotly_chart(curves(told, name), key=f"curve-{name}", config={"displayModeBar": False})
    _epoch((chosen or newest[-1:])[-1], known)


def _title(run: str) -> str:
    info = runs.read(run)
    return f"{info.recipe.title}, {info.recipe.data}, seed {info.seed}, rate {info.recipe.learning_rate:g} ({run[-4:]})"


def _epoch(run: str, known: dict[str, str]) -> None:
    epochs = runs.epochs(run)
    if not epochs:
        return
    st.header("Look at it, and keep it", anchor=False)
    st.caption(verbatim(known[run]))
    with st.container(key="train_keep", horizontal=True, vertical_alignment="bottom"):
        epoch = st.selectbox("Epoch", epochs[::-1], key=f"epoch-{run}-{epochs[-1]}", width=120)
        word = st.text_input("Name to keep it under", key="train_word", placeholder="mine", width=220, max_chars=100)
        st.button(
            "Keep", key="train_do_keep", disabled=not word, on_click=do,
            args=(lambda: keeping.keep(run, epoch, word), f"It is kept as {word}, among the models of its mechanism."),
        )  # fmt: skip
        recipe = runs.read(run).recipe
        for row in MECHANISMS.values():
            if recipe.model in row.models and f"{recipe.key}" in RECIPES:
                page.link(row.page, "See this epoch", model=key_of(run, epoch), data=recipe.data)
    kept = [name for name in cards.names() if cards.is_kept(name)]
    if kept:
        st.caption(f"Kept: {verbatim(', '.join(kept))}")

"""The list of trainings: the status of each, and its buttons."""

import streamlit as st

from attnviz import data
from attnviz.data import own
from attnviz.recipes.altered import DATA
from attnviz.training.cost import duration
from attnviz.ui.shared import page
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access, course, yours
from attnviz.work.jobs import seen, table
from attnviz.work.jobs.seen import Seen

EVERY = 2.0
"""The seconds between two checks of running trainings."""

FEW = 4
"""The number of ended trainings that are always visible."""

_COLOURS = {"running": "green", "waiting": "blue", "finished": "gray", "stopped": "gray"}
_WORDS = {"stopped": "paused"}


def jobs() -> None:
    """Draw all trainings and their results, and refresh every two seconds while one is running."""
    access.done()
    live = any(one.lives for one in seen.look())
    st.fragment(_all, run_every=EVERY if live else None)(live)


def _all(live: bool) -> None:
    """Draw everything that changes during a training; `live` if one was running when the page was drawn."""
    if access.done():
        st.rerun()  # other trainings may be running now
    access.said()
    with page.sentences():
        there = seen.look()
        if live and not any(one.lives for one in there):
            st.rerun()  # ends the refreshing
        ended = [one for one in there if not one.lives]
        for one in [*(one for one in there if one.lives), *ended[:FEW]]:
            with page.sentences():
                _job(one)
        if ended[FEW:]:
            with st.expander(f"{len(ended) - FEW} more that have ended", key="train_ended"):
                for one in ended[FEW:]:
                    with page.sentences():
                        _job(one)
        course.show([one for one in there if not yours.hidden(one)])


def _job(one: Seen) -> None:
    with st.container(border=True, key=f"job-{one.job.replace('.', '-')}"):
        colour, word = _COLOURS.get(one.state.word, "orange"), _WORDS.get(one.state.word, one.state.word)
        title = one.recipe.title if one.recipe else one.job
        st.markdown(f"**{verbatim(title)}** :{colour}-badge[{word}]  \n{verbatim(_changes(one))}")
        how = one.progress
        if one.state.word == "running" and how:
            left = "" if how.seconds is None else f"; at most {duration(how.seconds)} left"
            st.progress(how.share, f"Seed {how.seed}: {how.epoch} of at most {how.epochs} epochs done{left}")
        else:
            st.caption(verbatim(one.trouble or _sentence(one)))
        with st.container(horizontal=True, vertical_alignment="center", key=f"buttons-{one.job.replace('.', '-')}"):
            _buttons(one)


def _changes(one: Seen) -> str:
    if one.order is None:
        return ""
    if yours.hidden(one):
        return "on somebody else's pictures, which are not shown"
    changed = [f"{name.replace('_', ' ')} {_value(name, value)}" for name, value in one.order.changes.items()]
    seeds = f"seed{'s' * (len(one.order.seeds) > 1)} {', '.join(map(str, one.order.seeds))}"
    return "; ".join(filter(None, [", ".join(changed), seeds]))


def _value(name: str, value: str) -> str:
    return data.spec(value).title.lower() if name == DATA and own.is_own(value) else value.replace("_", " ")


def _sentence(one: Seen) -> str:
    """Return the status of a training that is not running."""
    how, recipe = one.progress, one.recipe
    if how is None or recipe is None or one.state.word not in ("finished", "stopped"):
        return one.state.sentence
    done = f"{how.epoch} epoch{'s' * (how.epoch != 1)}"
    if one.state.word == "finished":
        early = "" if how.epoch >= how.epochs or recipe.patience is None else f", the last {recipe.patience} no better"
        return f"Finished after {done}{early}."
    begun = f"Seed {how.seed} has {done} of at most {how.epochs}. " if how.epoch else ""
    return f"{begun}It can be resumed."


def _buttons(one: Seen) -> None:
    job = one.job
    if one.state.word == "running":
        said = "It stops after this batch. The button Resume continues from its last complete epoch."
        access.button("Pause", job, lambda: table.stop(job), said)
    elif one.state.word == "waiting":
        access.button("Leave the queue", job, lambda: table.stop(job), "It has left the queue.")
    else:
        if one.state.word != "finished":
            access.button("Resume", job, lambda: table.resume(job))
            access.button("One more epoch", job, lambda: table.resume(job, more=1))
        access.button("Delete", job, lambda: table.delete(job), "It is deleted, with the runs that it began.")

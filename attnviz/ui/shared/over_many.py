"""An experiment over many examples: the start button, progress, the results so far, and the stop button."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from attnviz.ui.shared import jobs, page, url_state

T = TypeVar("T")
TICK = 0.5  # seconds after which the finished parts are drawn again


def over_many(
    word: str,
    count: int,
    job: Callable[[], "jobs.Job[T]"],
    draw: Callable[[list[T]], None],
    *,
    what: str = "pictures",
    verb: tuple[str, str] = ("Compare", "compared"),
    begins: bool = False,
) -> None:
    """Draw a job: the button that starts it, then its progress, its results so far, and the button that stops it.

    `word` is the URL field that holds whether the job is shown; if it is missing and `begins` is true, the job starts
    at once. `draw` takes the parts computed so far, at least one. `verb` names the work in the imperative and in the
    past participle.
    """
    if url_state.choice(word, ["yes", "no"], "yes" if begins else "no") != "yes":
        st.button(f"{verb[0]} {count} {what}", key=f"{word}_start", on_click=_begin, args=(word, job))
        st.caption("You can keep using the page meanwhile, or stop this at any time.")
        return
    finished = job().finished
    if not finished:
        st.button("Stop", key=f"{word}_stop", on_click=_halt, args=(word, job, begins))
    # Each tick draws the finished parts while a thread computes, so that the rest of the page stays responsive.
    st.fragment(_tick, run_every=None if finished else TICK)(count, what, verb[1], job, draw, finished)


def _begin(word: str, job: Callable[[], "jobs.Job[Any]"]) -> None:
    job().start()
    url_state.set_value(**{word: "yes"})


def _halt(word: str, job: Callable[[], "jobs.Job[Any]"], begins: bool) -> None:
    job().stop()
    url_state.set_value(**{word: "no" if begins else None})


def _tick(
    count: int,
    what: str,
    done_with: str,
    job: Callable[[], "jobs.Job[T]"],
    draw: Callable[[list[T]], None],
    finished: bool,
) -> None:
    with page.sentences():
        work = job()
        if not finished and work.finished:
            st.rerun()  # ends the ticks
        parts = work.parts()
        if not finished:
            work.start()
            done = len(parts) / work.count
            st.progress(done, f"{round(done * count)} of {count} {what} are {done_with}")
        if parts:
            draw(parts)

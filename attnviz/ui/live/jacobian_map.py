"""The switch next to a map, *attention* or *Jacobian of the shown answer*, and the Jacobian as maps on a page.

The choice is written into the URL as map=jacobian. Components with their own switch receive the request for the
live channel from `asked`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.live.jacobian import MEANING, missing
from attnviz.ui.live.jacobian_view import JACOBIAN, JACOBIAN_VIEW, TITLE, Found, computed, first, steps, whole
from attnviz.ui.shared import cache, jobs, page, url_state
from attnviz.ui.shared.glossary import term
from attnviz.views.payload import with_header

WORD = "map"
TICK = 0.5  # seconds between two checks of the progress


def asked(subject: Subject) -> dict[str, Any]:
    """Return the data that a component needs to request the Jacobian, as plain JSON: "checkpoint"; "picture", by name
    as in a live request; "missing", the reason why the model has none, or None.
    """
    return {**subject.asked, "missing": missing(subject.net)}


def switch(other: str) -> bool:
    """Draw the switch between the Jacobian and the map named `other`; return whether the Jacobian is chosen."""
    words = {"attention": other, JACOBIAN: TITLE}
    return url_state.pick(st.segmented_control, "Map", WORD, words, "attention", required=True) == JACOBIAN


def show(subject: Subject) -> None:
    """Draw the Jacobian of the answer to an example, one map per channel, or a sentence on why the net has none."""
    why = missing(subject.net)
    if why:
        st.info(why)
        return
    found = cache.of_subject(computed, subject)
    st.markdown(
        f"The model answers **{found.answer}**. The {term('Jacobian')} shows, at each pixel, {MEANING}. One unit is "
        "the step from black to white."
    )
    finished = _job(subject, found).finished
    st.fragment(_draw, run_every=None if finished else TICK)(subject, found, finished)


def _draw(subject: Subject, found: Found, finished: bool) -> None:
    """Draw the maps without the pixels still being computed, then redraw them with those pixels."""
    with page.sentences():
        job = _job(subject, found)
        if job.finished and not finished:
            st.rerun()  # ends the ticks
        parts = job.parts()
        maps = whole(subject, found, np.concatenate(parts, 1)) if finished and parts else first(subject, found)
        request = {"derived": JACOBIAN_VIEW.name, "parameters": {"steps": True}, **subject.asked}
        map_grid(with_header(maps, request=request), key=f"jacobian {subject.net.history or subject.net.key}")
        if not finished:
            job.start()
            st.progress(
                len(parts) / job.count, f"Following small steps of {len(found.ties)} pixels without a derivative"
            )


def _job(subject: Subject, found: Found) -> "jobs.Job[npt.NDArray[np.float64]]":
    """Return the job for the pixels without a derivative, a few at a time, shared by all visitors."""
    key = (JACOBIAN, subject.net.key, subject.net.digest, str(subject.example.asked))
    return jobs.job(key, lambda number: cache.of_subject(steps, subject, found.chunks[number]), len(found.chunks))

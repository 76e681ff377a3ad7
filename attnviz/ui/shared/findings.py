"""Cached results of nets: their taps, the values of the taps, and their answers.

Torch is imported only for a computation; by then the page has drawn its title and its question.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import data
from attnviz.subjects import Net, Subject
from attnviz.ui.shared import cache, jobs

if TYPE_CHECKING:
    from attnviz.measures.maps import Maps
    from attnviz.ui.shared.inference import TapInfo

Labels = npt.NDArray[np.int64]

ANSWERS = 50  # pictures per part of the work; others wait that long
PATIENCE = 0.3  # seconds a page waits for the answers before it shows their progress
TICK = 0.5  # seconds between two checks of the progress

RIGHT, WRONG, UNKNOWN = 1, 0, -1


class Wrong(NamedTuple):
    """The test pictures that a net answers wrongly, int64 (count,), ascending, and whether the search for them is
    complete.
    """

    numbers: Labels
    all: bool


def list_taps(net: Net) -> "dict[str, TapInfo]":
    """Return the taps of a net by tap path."""
    from attnviz.ui.shared import inference

    return cache.of_net(inference.list_taps, net)


def tap(subject: Subject, tap_path: str, query: int | None) -> "Maps":
    """Return the value of one tap on an example as maps, for one query if the tap has queries."""
    from attnviz.ui.shared import inference

    return cache.of_subject(inference.tap, subject, tap_path, query)


def answer(subject: Subject) -> str:
    """Return a net's answer to an example and its probability, in words for an export."""
    from attnviz.ui.shared import inference

    return cache.of_subject(inference.answer, subject)


def asking(net: Net, source: str) -> jobs.Job[Labels]:
    """Return the started, perhaps finished, job that computes a net's answers to the available test pictures.

    Its parts, one after the other, are the answers as labels, in the order of `data.shown(source)`; -1 for pictures
    whose class the net does not have.
    """
    shown = data.shown(source)

    def some(number: int) -> Labels:
        from attnviz.ui.shared import inference

        return inference.answers(cache.single(net), source, shown.split, ANSWERS * number, ANSWERS)

    job = jobs.job(("answers", net.key, net.digest, source, shown.split), some, -(-len(shown.labels) // ANSWERS))
    if not job.finished and not job.running:
        job.start()
        job.wait(job.count, PATIENCE)
    return job


def answers(job: jobs.Job[Labels]) -> Labels:
    """Return the answers that a job of `asking` has found so far, in its order."""
    return np.concatenate([np.empty(0, np.int64), *job.parts()])


def wrong_answers(net: Net, source: str) -> Wrong:
    """Return the numbers of the available test pictures that a net answers wrongly.

    They are read from the net's card. The net predicts any that the card lacks, and the wrong ones found so far are
    returned. For a net that draws random numbers, the card holds the prediction from several draws combined.
    """
    shown = data.shown(source)
    told = told_by_card(net, source)
    if not (told == UNKNOWN).any():
        return Wrong(shown.numbers[told == WRONG], all=True)
    job = asking(net, source)
    found = answers(job)
    labels = shown.labels[: len(found)]
    asked = np.where((found < 0) | (found == labels), RIGHT, WRONG)
    told[: len(found)] = np.where(told[: len(found)] == UNKNOWN, asked, told[: len(found)])
    return Wrong(shown.numbers[told == WRONG], len(found) == len(told))


def told_by_card(net: Net, source: str) -> Labels:
    """Return whether a net answers each available test picture correctly, according to its card.

    The order is that of `data.shown(source)`, and each value is RIGHT, WRONG or UNKNOWN. Pictures of classes that the
    net does not have cannot be answered wrongly and count as RIGHT.
    """
    shown = data.shown(source)
    names = data.spec(source).classes
    labels = [label for label, name in enumerate(names) if name in net.classes]
    knows = np.isin(shown.labels, labels)
    told = np.where(knows, UNKNOWN, RIGHT)
    figures = [
        figure
        for figure in (net.card.figures if net.card else ())
        if (figure.name, figure.data, figure.split, figure.draws) == ("accuracy", source, "test", 1)
        and figure.augmentation is None
        and figure.right is not None
    ]
    if not figures:
        return told
    right = max(figures, key=lambda figure: figure.count).unpacked().astype(np.int64)
    # A figure counts only the pictures of the net's classes, which are known only if all pictures are here.
    if len(labels) == len(names):
        tested = np.flatnonzero(shown.numbers < len(right))
        told[tested] = right[shown.numbers[tested]]
    elif shown.split == "test":
        tested = np.flatnonzero(knows)[: len(right)]
        told[tested] = right[: len(tested)]
    return told


def progress(net: Net, source: str, *, until: Callable[[], bool] = bool, small: bool = False) -> None:
    """Keep drawing the progress of `asking`, and rerun the page when it has finished."""
    tick = st.fragment(_progress, run_every=TICK)
    tick(net, source, until, small)


def _progress(net: Net, source: str, until: Callable[[], bool], small: bool) -> None:
    job, whole = asking(net, source), len(data.shown(source).labels)
    if job.finished or until():
        st.rerun()
    done = len(answers(job))
    count = f"{done:,} of {whole:,}"
    words = f"{count} asked" if small else f"Asking the model about the test pictures, once: {count} are done"
    st.progress(done / whole, words)

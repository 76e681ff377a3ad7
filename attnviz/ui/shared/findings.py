"""What nets say, asked once and kept: their taps, the values of these, and their answers.

It loads torch only where something is computed; by then the page has drawn its title and its question.
"""

import time
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import data
from attnviz.subjects import Net, Subject
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.measures.maps import Maps
    from attnviz.ui.shared.inference import TapInfo

ANSWERS = 250  # pictures in one batch
PATIENCE = 0.3  # seconds after which a progress bar is shown


def list_taps(net: Net) -> "dict[str, TapInfo]":
    """Return the taps of a net by tap path."""
    from attnviz.ui.shared import inference

    return cache.of_net(inference.list_taps, net)


def tap(subject: Subject, tap_path: str, query: int | None) -> "Maps":
    """Return the value of one tap on an example, as maps; for one query if it has queries."""
    from attnviz.ui.shared import inference

    return cache.of_subject(inference.tap, subject, tap_path, query)


def answer(subject: Subject) -> str:
    """Return a net's answer to an example and its probability, in words for an export."""
    from attnviz.ui.shared import inference

    return cache.of_subject(inference.answer, subject)


def answers(net: Net, source: str) -> npt.NDArray[np.int64]:
    """Return a net's answers to the available test pictures, as labels; -1 where it does not know the class.

    They come in the order of `data.shown(source)`. If this takes a while, a bar shows the progress.
    """
    from attnviz.ui.shared import inference

    shown = data.shown(source)
    parts, bar, began = [], None, time.monotonic()
    for first in range(0, len(shown.labels), ANSWERS):
        if bar is None and time.monotonic() - began > PATIENCE:
            bar = st.progress(0.0)
        if bar is not None:
            done = first / len(shown.labels)
            bar.progress(done, f"Asking the model about {len(shown.labels):,} test pictures, once: {first:,} are done")
        parts.append(cache.of_net(inference.answers, net, source, shown.split, first, ANSWERS))
    if bar is not None:
        bar.empty()
    return np.concatenate(parts)


def wrong_answers(net: Net, source: str) -> npt.NDArray[np.int64]:
    """Return the numbers of the available test pictures that a net answers wrongly."""
    shown, found = data.shown(source), answers(net, source)
    numbers: npt.NDArray[np.int64] = shown.numbers[(found >= 0) & (found != shown.labels)]
    return numbers

"""The experiments of a page: collapsed rows, each with a question and its measure. The URL names the open one.

The open experiment shows its finding below its question: a sentence with the numbers of this net and this picture. A
pure function of these numbers writes it, so that no claim contradicts the result below it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from attnviz.ui.components import arrive
from attnviz.ui.shared import page, url_state

FIELD = "experiment"
HERE = "experiment_here"  # key of the element to which the page scrolls


def _never(*seen: object) -> None:
    """Return None, for experiments that can always be drawn."""


@dataclass(frozen=True)
class Experiment:
    """One question that a visitor can explore on a page.

    Args:
        title: The question.
        measures: The quantity that is measured, in one sentence of Markdown that leaves the result open.
        show: Draws the experiment from the arguments that the page passes to `choose`.
        words: The URL fields of its choices, which are removed when another experiment is opened.
        refusal: Takes the same arguments and returns one sentence on why the experiment cannot be drawn, or None if it
            can.
    """

    title: str
    measures: str
    show: Callable[..., None]
    words: tuple[str, ...] = ()
    refusal: Callable[..., str | None] = _never


def choose(experiments: Mapping[str, Experiment], *seen: object, heading: str = "Experiments") -> None:
    """Draw the questions in order and, below the one named by the URL, its experiment, called with `seen`."""
    opened = url_state.choice(FIELD, ["", *experiments], _implied(experiments))
    words = {word: None for one in experiments.values() for word in one.words}
    st.header(heading, anchor=False)
    with st.container(key="experiments", gap="xsmall"):
        for name, one in experiments.items():
            with st.container(key=f"experiment_of_{name}"):
                if name == opened:
                    arrive.here(HERE)
                key = key_of(name)
                st.session_state[key] = name == opened
                row = st.expander(
                    f"**{one.title}** {one.measures}", key=key, on_change=_open, args=(name, words), expanded=False
                )
                if name == opened:
                    with row, page.sentences():
                        refused = one.refusal(*seen)
                        if refused:
                            st.info(refused)
                        else:
                            one.show(*seen)


def _implied(experiments: Mapping[str, Experiment]) -> str:
    """Return the experiment whose fields are in the URL though the URL does not name it, or "" if there is none."""
    return next((name for name, one in experiments.items() if set(one.words) & set(st.query_params)), "")


def link(name: str, title: str) -> str:
    """Return a Markdown link that opens an experiment of this page and scrolls to it (frontend/core/links.js)."""
    return f"[{title}](#experiment-{name})"


def finding(name: str = "") -> Callable[[str], None]:
    """Reserve space for an experiment's finding before anything is drawn, and return its writer, taking Markdown."""
    place = st.container(key=f"finding_{name}" if name else "finding")

    def write(sentence: str) -> None:
        place.markdown(sentence)

    return write


def key_of(name: str) -> str:
    """Return the key of an experiment's row, whose state holds whether it is open."""
    return f"experiment_row_{name}"


def _open(name: str, words: Mapping[str, None]) -> None:
    url_state.set_value(**words, **{FIELD: name if st.session_state[key_of(name)] else None})

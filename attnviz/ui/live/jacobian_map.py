"""The switch beside a map, *attention* or *Jacobian of the shown answer*, and the Jacobian as maps on a page.

The choice is written into the URL as map=jacobian. Components with a switch of their own learn from `asked` what to ask
the live channel for.
"""

from typing import TYPE_CHECKING, Any

import streamlit as st

from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.live.jacobian import MEANING, missing
from attnviz.ui.live.jacobian_view import JACOBIAN, JACOBIAN_VIEW, TITLE, computed
from attnviz.ui.shared import cache, url_state
from attnviz.ui.shared.glossary import term

if TYPE_CHECKING:
    pass

WORD = "map"


def asked(subject: Subject) -> dict[str, Any]:
    """Return what a component needs to ask for the Jacobian, as JSON can say it.

    Returns:
        checkpoint; picture, by name as in a request of the live channel; missing, why the model has none, or None;
        meaning, what stands under its legend.
    """
    return {**subject.asked, "missing": missing(subject.net), "meaning": MEANING}


def switch(other: str) -> bool:
    """Draw the switch and return whether the Jacobian is chosen.

    Args:
        other: what is shown if not the Jacobian, in words.
    """
    words = {"attention": other, JACOBIAN: TITLE}
    chosen = url_state.choice(WORD, list(words), "attention")
    st.segmented_control(
        "Map", list(words), key=WORD, format_func=words.__getitem__, required=True,
        on_change=url_state.keep, args=(WORD,),
    )  # fmt: skip
    return chosen == JACOBIAN


def show(subject: Subject) -> None:
    """Draw the Jacobian of the answer to an example, one map per channel, or say why the net has none."""
    why = missing(subject.net)
    if why:
        st.info(why)
        return
    answer, _ = cache.of_subject(computed, subject)
    st.markdown(
        f"The model answers **{answer}**. The {term('Jacobian')} shows, at each pixel, {MEANING}. One unit is the step "
        "from black to white."
    )
    map_grid(JACOBIAN_VIEW.of(subject), key=f"jacobian {subject.net.key}")

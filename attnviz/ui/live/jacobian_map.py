"""The switch beside a map, *attention* or *Jacobian of the shown answer*, and the Jacobian as maps on a page.

The choice is written into the URL as map=jacobian. Components with a switch of their own learn from `asked` what to ask
the live channel for.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.live.jacobian import MEANING, missing
from attnviz.ui.shared import cache, url_state
from attnviz.ui.shared.glossary import term

if TYPE_CHECKING:
    from attnviz.subjects import Example, Loaded

WORD, JACOBIAN = "map", "jacobian"
TITLE = "Jacobian of the shown answer"
CHANNELS = {1: ["intensity"], 3: ["red", "green", "blue"]}


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
    answer, values = cache.of_subject(computed, subject)
    image, ink = subject.image, subject.example.ink
    st.markdown(
        f"The model answers **{answer}**. The {term('Jacobian')} shows {MEANING}, at each pixel. One unit is the step "
        "from black to white."
    )
    map_grid(
        values,
        CHANNELS.get(len(values)) or [f"channel {number + 1}" for number in range(len(values))],
        key=f"jacobian {subject.net.key}",
        title=f"{TITLE}, {answer}",
        picture=image.mean(2) / 255 if ink else None,
        background=image,
        ink=ink,
        note=MEANING,
        origin={**subject.origin(JACOBIAN), "answer": answer},
    )


def computed(loaded: "Loaded", example: "Example") -> tuple[str, npt.NDArray[np.float64]]:
    """Return the answer to an example and the Jacobian of its logit, float64 (channel, row, column)."""
    from attnviz.answers import predicted
    from attnviz.measures.jacobian import answered
    from attnviz.ui.shared import inference

    logits, found = answered(loaded.model, inference.batch_of(loaded, example))
    return loaded.net.classes[int(predicted(logits))], found[0].numpy()

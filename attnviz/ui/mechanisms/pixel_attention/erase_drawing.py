"""Erase what a model looks at: the pixel page's experiment, applied to the drawing on the draw page."""

import streamlit as st

from attnviz import subjects
from attnviz.subjects import Net, Subject
from attnviz.subjects.drawings import Drawing
from attnviz.ui.components.drawn import Seen
from attnviz.ui.mechanisms.pixel_attention import ERASE, MECHANISM
from attnviz.ui.mechanisms.pixel_attention.experiments import erase
from attnviz.ui.mechanisms.pixel_attention.panels import panel_of
from attnviz.ui.shared import experiments, page, url_state
from attnviz.ui.shared.glossary import term


def show(names: list[str], seen: Seen | None) -> None:
    """Draw the choice of a net that attends among tokens, and the effect of removals on its answer to the drawing."""
    known = {net.key: net for net in map(subjects.net, names) if _attends(net)}
    if not known:
        return
    name = url_state.choice(ERASE, ["", *known], "")
    st.header("Erase what it looks at", anchor=False)
    st.markdown(
        f"Does the answer depend on the pixels that receive most of a model's {term('attention')}? They are removed, "
        "and the change is compared with that of random removals of as much ink."
    )
    st.session_state[ERASE] = name or None
    st.pills(
        "Model", list(known), key=ERASE, format_func=lambda one: known[one].title, label_visibility="collapsed",
        on_change=_keep,
    )  # fmt: skip
    if not name:
        return
    if seen is None or not seen.word:
        st.info("Nothing is drawn yet. Draw a digit above.")
        return
    net, say = known[name], experiments.finding("erase")
    with page.sentences():
        saw, takes = Drawing(seen.word).picture.shape[:2], (net.input.rows, net.input.columns)
        if saw != takes:  # the picture belongs to another model, and this one never received it
            st.info(
                f"Here the drawing is a picture of {saw[0]} × {saw[1]} pixels, and this model saw it in {takes[0]} × "
                f"{takes[1]}. Choose only models of {takes[0]} × {takes[1]} pixels above to erase what it looks at."
            )
            return
        count, fill = erase.choices(net)
        if count:
            erase.one_picture(Subject(net, Drawing(seen.word)), count, fill, say)
        else:
            st.info(f"Nothing is removed. Choose how many {erase.unit_of(net)} to remove.")


def _attends(net: Net) -> bool:
    return net.architecture in MECHANISM.models and panel_of(net).heads > 0 and erase.refusal(net) is None


def _keep() -> None:
    url_state.set_value(**dict.fromkeys(erase.WORDS), **{ERASE: st.session_state[ERASE]})

"""What the home page shows of pixel attention: a live digit, and ten digits, each a link to what a model does."""

import numpy as np
import streamlit as st

from attnviz import cards, data
from attnviz.errors import CheckpointError
from attnviz.ui.mechanisms.pixel_attention import MECHANISM
from attnviz.ui.mechanisms.pixel_attention.first_look import NAME, NUMBER, SOURCE
from attnviz.ui.shared import first_look, page, url_state

POOL = 256  # pictures at the beginning of the strokes' test split to choose from, drawn in 0.2 s


def live() -> None:
    """Draw a digit with its attention, computed in advance: it answers the pointer without a model."""
    from attnviz.ui.components.pixel_viewer import pixel_viewer

    view = first_look.read(cards.read(NAME), f"{SOURCE}/test/{NUMBER}")
    if view is None:
        raise CheckpointError(
            f"The first look of {NAME} is missing or out of date: run `python -m {__package__}.first_look`."
        )
    pixel_viewer(view, key="home_viewer", plain=True)


def show() -> None:
    """Draw one picture of each digit; a click on one opens it on the page."""
    images, labels = data.load("strokes", "test", count=POOL)
    hands = int(np.bincount(labels).min())  # a hand is one picture of each digit: the rarest says how many there are
    hand = url_state.number("hand", hands, 0)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            "**Ten digits, drawn by attnviz itself.** Click one to see what a model does with it.", width="content"
        )
        st.button(
            "Draw ten others",
            type="tertiary",
            icon=":material/refresh:",
            on_click=url_state.set_value,
            kwargs={"hand": (hand + 1) % hands or None},
        )
    with st.container(key="digits", horizontal=True):
        for digit in range(10):
            number = int((labels == digit).nonzero()[0][hand])
            picture = f"![a drawn {digit}]({page.png(images[number, :, :, 0])})"
            words = {"model": NAME, "data": "strokes", "number": number}
            page.link(MECHANISM.page, f"{picture} {digit}", **words)

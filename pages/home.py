"""Home: what this is, what to try first, and ten digits that this app drew. Loads no torch."""

from base64 import b64encode
from io import BytesIO

import numpy as np
import streamlit as st
from PIL import Image

from attnviz import data
from attnviz.ui import address, page, warm

POOL = 256  # pictures at the beginning of the strokes' test split to choose from, drawn in 0.2 s


def main() -> None:
    page.start(
        "See attention",
        "Where does a small vision model take its information from? Move over a pixel, and see at once.",
    )
    with page.sentences():
        draw_digits()
    explain()
    warm.soon()


def draw_digits() -> None:
    """Draw one picture of each digit; a click on one opens it on the pixel page."""
    images, labels = data.load("strokes", "test", count=POOL)
    hands = int(np.bincount(labels).min())  # a hand is one picture of each digit: the rarest says how many there are
    hand = address.number("hand", hands, 0)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            "**Ten digits that this app drew itself.** Click one to see what a model does with it.", width="content"
        )
        st.button(
            "Draw ten others",
            type="tertiary",
            icon=":material/refresh:",
            on_click=address.put,
            kwargs={"hand": (hand + 1) % hands or None},
        )
    with st.container(key="digits", horizontal=True):
        for digit in range(10):
            number = int((labels == digit).nonzero()[0][hand])
            picture = f"![a drawn {digit}]({png(images[number, :, :, 0].tobytes())})"
            words = {"model": "pixel_attention.digits", "data": "strokes", "number": number}
            page.link("10_pixel_attention.py", f"{picture} {digit}", **words)


def png(pixels: bytes) -> str:
    """Return a picture of 28 x 28 as the address of a PNG that needs no request."""
    file = BytesIO()
    Image.frombytes("L", (28, 28), pixels).save(file, "PNG")
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"


def explain() -> None:
    """Say what this is and what to try first."""
    left, middle, right = st.columns(3, gap="large")
    with left:
        st.header("Try first", anchor=False)
        page.link("05_draw.py", "Draw a digit, and watch every model look at it")
        page.link("10_pixel_attention.py", "The loop of an 8: what does its rim look at?", digit=8, query="9,12")
        page.link("10_pixel_attention.py", "A 1: which pixels are looked at most?", digit=1, direction="received")
        page.link("10_pixel_attention.py", "Why is there no local pattern? Shuffle the pixels", experiment="shuffle")
        page.link("00_explorer.py", "Every number inside the model, by name")
    with middle:
        st.header("What attention is", anchor=False)
        st.markdown(
            "Each pixel asks a :orange[query]. Every pixel answers with a :blue[key]. Where the two fit, the first "
            "takes along the other's :green[value]. How much it takes from each is its **attention**: numbers that add "
            "up to one, drawn here as pictures."
        )
    with right:
        st.header("What this is", anchor=False)
        st.markdown(
            "Small trained models, opened up. What you see is what the model computed: every number can be read off, "
            "saved, and computed again by hand. Attention shows where information can come from. It is not, by "
            "itself, an explanation."
        )


main()

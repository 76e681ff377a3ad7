"""Home: a digit whose attention answers the pointer at once, a way to draw, and every mechanism. Loads no torch."""

import os
from base64 import b64encode

import streamlit as st

from attnviz.ui.lessons import offer
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.ui.server import preload
from attnviz.ui.shared import faults, page
from attnviz.ui.shared.glossary import term


def main() -> None:
    page.start(
        "See attention",
        "Small vision models that you can look into: point at the digit and see what every pixel looks at.",
    )
    offer.show()
    if os.environ.get("ATTNVIZ_MODEL") or os.environ.get("ATTNVIZ_TIMM"):  # importing `attnviz.subjects` is slow
        page.link("00_explorer.py", "**Your model**: what each of its layers attends to, on your photographs")
    first = next((row for row in MECHANISMS.values() if row.live), None)
    if first and first.live:
        with faults.drawing(first, "live picture"):
            first.live()
    with st.container(key="home_next", horizontal=True, vertical_alignment="center"):
        page.link("05_draw.py", "**Draw a digit**, and watch every model look at it")
    with st.container(key="home_mechanisms"):
        for row in MECHANISMS.values():
            with faults.drawing(row, "link"):
                mechanism(row)
    explain()
    preload.soon()


def mechanism(row: Mechanism) -> None:
    """Draw a mechanism, its picture, title and question, as a link to its page."""
    picture = ""
    if row.home:
        file = b64encode(row.home.file.read_bytes()).decode()
        picture = f"![{row.home.words}](data:image/png;base64,{file}) "
    page.link(row.page, f"{picture}**{row.title}** {row.question}", **(row.home.view if row.home else {}))


def explain() -> None:
    """Draw a short explanation of what attention is and is not."""
    left, right = st.columns(2, gap="large")
    with left:
        st.header("What attention is", anchor=False)
        st.markdown(
            f"Each pixel sends out a {term('query', ':orange[query]')}, and every pixel has a "
            f"{term('key', ':blue[key]')}. Where a query matches a key, the pixel takes over part of the other pixel's "
            f"{term('value', ':green[value]')}. How much it takes from each is its **attention**: numbers that add up "
            f"to one, drawn here as a map. A layer has several {term('heads')} that do this in parallel. Each has its "
            "own queries, keys and values, so each can look for something different. Where a map is violet, a pixel "
            f"takes more than an {term('even share')}; where it is grey, less."
        )
    with right:
        st.header("What it is not", anchor=False)
        st.markdown(
            "Attention shows where information can come from. It is not, by itself, an explanation of the answer. "
            "Everything here is what the model computed: every number can be read off, saved, and computed again."
        )
        page.link("00_explorer.py", "Explore every value inside a model")


main()

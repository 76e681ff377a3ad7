"""The home page's offer to a new visitor: the first lesson, in one line, until it is begun or declined.

Only the browser knows whether it was (frontend/core/links.js), so the line is always drawn, and hidden there.
"""

import streamlit as st

from attnviz.ui.shared import page

FIRST = "pixel-to-answer"
"""The lesson on offer. The home page reads no lesson, so its title is repeated here, and a test compares the two."""

TITLE = "From a pixel to an answer"


def show() -> None:
    """Draw the line that links to the lesson."""
    with st.container(key="lesson_offer", horizontal=True, vertical_alignment="center"):
        st.markdown("New here? Ten minutes, step by step:", width="content")
        page.link("home.py", TITLE, lesson=FIRST, step=1)
        st.markdown("[No, thanks](#lessons-declined)", width="content")

"""The pages, in order, with their titles and addresses. Runs before every page."""

import streamlit as st

# No page_title here: it would stand in the tab of every page instead of the page's own.
st.set_page_config(layout="wide", initial_sidebar_state="collapsed")

st.navigation(
    {
        "": [
            st.Page("home.py", title="Home", default=True),
            st.Page("05_draw.py", title="Draw", url_path="draw"),
        ],
        "Look inside": [
            st.Page("10_pixel_attention.py", title="Pixel attention", url_path="pixel_attention"),
            st.Page("00_explorer.py", title="Explorer", url_path="explorer"),
        ],
    },
    position="top",
).run()

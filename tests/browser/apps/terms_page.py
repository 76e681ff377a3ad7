"""Text with terms, and the viewer of random numbers, which has terms of its own."""

import streamlit as st

from attnviz.ui.components.pixel_viewer import pixel_viewer
from attnviz.ui.shared.glossary import term
from tests.browser.apps.pixel_viewer import make_view

st.set_page_config(layout="wide")
st.markdown(f"Each {term('head')} has its own {term('query', ':orange[query]')}.")
st.markdown("And this is a [link](#other), which is no term.")
pixel_viewer(make_view(kind="sum"), key="viewer", state={"query": [2, 2]})

"""The server: `streamlit run app.py`. The pages are listed in pages/_navigation.py."""

import streamlit as st
from starlette.middleware import Middleware

from attnviz.ui import head, live, security
from attnviz.ui.no_delay import NoDelay

# Written literally: `streamlit run` finds the app by reading this file's syntax tree.
app = st.App(
    "pages/_navigation.py",
    routes=live.routes(),
    middleware=[
        Middleware(NoDelay),
        Middleware(security.Headers),
        Middleware(head.Head, components={"draw": "drawing_pad", "pixel_attention": "pixel_viewer"}),
    ],
    on_script_error=security.one_sentence,
)

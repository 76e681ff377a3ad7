"""A page whose text has terms, with the head and the content policy of attnviz's own server."""

import streamlit as st
from starlette.middleware import Middleware

from attnviz.ui.server import head, security

app = st.App("terms_page.py", middleware=[Middleware(security.Headers), Middleware(head.Head)])

"""One app for all tests of components: each alone on a page, with the head and the policy of attnviz's server."""

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import Route

from attnviz.ui.server import head, security


async def fail(request: Request) -> None:
    """Break on the way to an answer."""
    raise RuntimeError("the secret of the server")


app = st.App(
    "components_pages.py",
    routes=[Route("/fail", fail)],
    middleware=[Middleware(security.Headers), Middleware(head.Head)],
    on_script_error=security.one_sentence,
)

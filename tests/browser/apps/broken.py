"""An app of which everything breaks that can: what does a visitor see? (tests/browser/test_app.py)"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import Route

from attnviz.ui.server import head, security


async def fail(request: Request) -> None:
    """Break on the way to an answer."""
    raise RuntimeError("the secret of the server")


app = st.App(
    "broken_page.py",
    routes=[Route("/fail", fail)],
    middleware=[Middleware(security.Headers), Middleware(head.Head)],
    on_script_error=security.one_sentence,
)

"""Load torch while the visitor reads the first page, and not before: it would hold up the start of the app by half.

The home page calls `ping()` last. Its small module waits in the browser until the page has been painted and then asks
for /attnviz/warm, which answers at once and loads torch in a thread.
"""

import logging
from functools import cache
from importlib import import_module
from threading import Thread
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_log = logging.getLogger(__name__)


def routes() -> list[Route]:
    """Return the route that the browser pings, below the address the server was told to live at."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return [Route(f"/{base}/attnviz/warm" if base else "/attnviz/warm", _answer)]


def ping() -> None:
    """Let the browser ping the route once this page has been painted. Draws nothing."""
    _component()(key="warm", height="content")


async def _answer(request: Request) -> Response:
    # Browsers say where a request comes from; a page elsewhere has no business here.
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Response(status_code=403)
    _load_once()
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@cache  # called from the event loop only, so the thread is started once
def _load_once() -> Thread:
    thread = Thread(target=_load, name="attnviz-warm", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    try:
        import_module("torch")
    except ImportError:
        _log.exception("torch cannot be loaded: the home page works, the pages with models will not")


@cache  # components can be declared only while a server runs, and only once
def _component() -> Any:
    return st.components.v2.component("attnviz.warm", js="warm.js")

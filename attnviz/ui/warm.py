"""Load what is slow to load while nobody waits for it: the start of the app stays that of Streamlit.

In three moments the server has nothing to do. While it starts and the first browser fetches Streamlit's scripts, what
home needs is imported. When a visitor asks for a page with a model, torch is loaded while that browser fetches its
scripts. And when home has been painted, its browser pings /attnviz/warm, and torch is loaded while the visitor reads.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from threading import Thread
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

HOME = ("", "home")  # the last part of the address of the page that needs no torch

_log = logging.getLogger(__name__)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Begin with what home needs when the server starts."""
    _once(_load_home)
    yield


def routes() -> list[Route]:
    """Return the route that the browser pings, below the address the server was told to live at."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return [Route(f"/{base}/attnviz/warm" if base else "/attnviz/warm", _answer)]


def ping() -> None:
    """Let the browser ping the route once this page has been painted. Draws nothing."""
    _component()(key="warm", height="content")


class OnPage:
    """ASGI middleware that loads torch as soon as somebody asks for a page with a model, and answers as ever."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the request and pass it on."""
        if scope["type"] == "http" and _is_page(scope) and scope["path"].rpartition("/")[2] not in HOME:
            _once(_load_models)
        await self.app(scope, receive, send)


def _is_page(scope: Scope) -> bool:
    """Say whether a browser asks for a page to show, and not for a script, a font or a picture."""
    accepted = dict(scope["headers"]).get(b"accept", b"")
    return scope["method"] == "GET" and b"text/html" in accepted


async def _answer(request: Request) -> Response:
    # Browsers say where a request comes from; a page elsewhere has no business here.
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Response(status_code=403)
    _once(_load_models)
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@cache  # called from the event loop only, so each thread is started once
def _once(load: Callable[[], None]) -> Thread:
    thread = Thread(target=load, name="attnviz-warm", daemon=True)
    thread.start()
    return thread


def _load_home() -> None:
    import_module("attnviz.ui.pickers")
    import_module("PIL.Image")
    import_module("attnviz.data").load("strokes", "test", count=256)


def _load_models() -> None:
    try:
        import_module("attnviz.ui.looking")
    except ImportError:
        _log.exception("torch cannot be loaded: the home page works, the pages with models will not")


@cache  # components can be declared only while a server runs, and only once
def _component() -> Any:
    return st.components.v2.component("attnviz.warm", js="warm.js")

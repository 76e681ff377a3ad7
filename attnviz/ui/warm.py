"""Load what is slow to load while nobody waits for it: the start of the app stays that of Streamlit.

While the server starts and the first browser fetches Streamlit's scripts, what home needs is imported. Torch, the
slowest, is loaded when a page has been painted: its browser then pings /attnviz/warm, which answers at once and loads
torch in a thread, while the visitor reads. What the pixel page shows first needs no torch: see `first_look`.
"""

import gc
import logging
import sys
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

_log = logging.getLogger(__name__)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Begin with what home needs when the server starts."""
    # A thread that only computes, as one that imports does, then lets the others in ten times as often: files are
    # served and pages run while torch is loaded.
    sys.setswitchinterval(0.0005)
    _once(_load_home)
    yield


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
    gc.disable()  # importing makes many objects and no garbage: looking for it takes a tenth of the time
    try:
        import_module("attnviz.ui.looking")
    except ImportError:
        _log.exception("torch cannot be loaded: the home page works, the pages with models will not")
    finally:
        gc.freeze()
        gc.enable()


@cache  # components can be declared only while a server runs, and only once
def _component() -> Any:
    return st.components.v2.component("attnviz.warm", js="warm.js")

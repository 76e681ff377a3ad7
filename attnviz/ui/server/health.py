"""The health check: GET /health returns whether models answer, for monitors such as a container's health check.

Streamlit's own /_stcore/health reports that the server runs, even if its weights are damaged or its memory has run out.
Here the smallest model answers an empty picture.
"""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import Route

from attnviz.errors import AttnvizError, CheckpointError
from attnviz.ui.server import descriptors
from attnviz.ui.shared.wording import told

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from attnviz.subjects.net import Loaded

EVERY = 5.0
"""Seconds for which an answer is cached, so that nobody can make the server compute by requesting it more often."""

_log = logging.getLogger(__name__)
_lock = Lock()
_last: list[tuple[float, str]] = []  # at most one: the time of the last check, and the error, or "" if there is none


def routes() -> list[BaseRoute]:
    """Return the route of the health check for `st.App`, which does not prepend `server.baseUrlPath` to ours."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return [Route(f"/{base}/health" if base else "/health", answer)]


async def answer(request: Request) -> JSONResponse:
    """Answer 200 if a model answers, or else 503 with one sentence."""
    wrong = await run_in_threadpool(wrong_now)
    said = {"models": "A model does not answer: " + wrong if wrong else "They answer."}
    return JSONResponse(said, 503 if wrong else 200, {"Cache-Control": "no-store"})


def wrong_now() -> str:
    """Return a sentence on why no model answers, or "" if one does; checked at most every 5 seconds."""
    with _lock:
        if not _last or time.monotonic() - _last[0][0] > EVERY:
            _last[:] = [(time.monotonic(), _find_out())]
        return _last[0][1]


def _find_out() -> str:
    try:
        with descriptors.room():
            import torch

        model, net = _smallest()
        shape = (1, net.input.channels, net.input.rows, net.input.columns)
        with torch.no_grad():
            logits = model(torch.zeros(shape))
        return "" if bool(logits.isfinite().all()) else "its answer is not a number."
    except AttnvizError as error:
        return told(error)
    except Exception:  # a half-imported module can raise anything
        _log.exception("A model does not answer.")
        return "the details are in the server's log."


@lru_cache(maxsize=1)
def _smallest() -> Loaded:
    from attnviz.subjects import kinds

    known = [one for one in kinds.usable().values() if not one.takes and one.parameters]
    if not known:
        raise CheckpointError("there is no checkpoint with weights.")
    return min(known, key=lambda one: (one.parameters or 0, one.key)).load()

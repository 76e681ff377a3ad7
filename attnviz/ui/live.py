"""The live channel: a model answers while a hand moves, over a WebSocket, without a rerun of a page.

`live_request` says what can be asked, `live_answer` what comes back, `frontend/live.js` is the browser's side. One
message a request; for each of its asks one answer, all payloads (payload.py) that repeat the request's number, and
where the last one has come, `"done": true`:

    an answer        number, ask, done, checkpoint, digest, axes, heads, milliseconds; arrays logits, probabilities and
                     what was wanted; of a canvas also prepared, which are the steps, and the array seen
    a refusal        number (null where it cannot be read), done, error: one sentence; ask, if only one was refused
    "stale": true    number, done: a newer request came before this one, or the rest of it, was begun

Of a visitor one request is being answered and one may wait: the newest. Nothing else is kept of a visitor, and nothing
when the socket has closed. For all visitors together, few models compute at once, in threads; whoever asks waits in
line, while the server goes on receiving, and running pages.
"""

import logging
import math
import os
import time
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import streamlit as st
from anyio import to_thread
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from attnviz.errors import AttnvizError
from attnviz.ui.payload import pack
from attnviz.ui.security import UNEXPECTED

if TYPE_CHECKING:
    from attnviz.ui.live_request import Request

Answer = Callable[["Request", int], bytes]

# Two at least: a slow model then keeps the others waiting only while another slow one is computed.
AT_ONCE = max(2, (os.cpu_count() or 2) // 2)
QUICK = 0.01

_log = logging.getLogger(__name__)


def routes() -> list[BaseRoute]:
    """Return the channel's route, for `st.App`, which does not put `server.baseUrlPath` before routes of ours."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return [WebSocketRoute(f"/{base}/live" if base else "/live", Channel(_answer).serve)]


def same_origin(headers: Headers) -> bool:
    """Say whether a page of this very server opens the socket: Streamlit checks that only for its own.

    A browser lets any page open a socket to any server, and names the page's origin; who names none is no browser.
    """
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    host = headers.get("host", "")
    return origin.scheme in ("http", "https") and host != "" and origin.netloc.lower() == host.lower()


class Channel:
    """Answers the requests of all visitors.

    Args:
        answer: gives what the model of a request's ask says, in a thread.
        at_once: how many of them compute at the same time.
        quick: seconds for which the asks of one request are answered in a row before a newer one is looked for.
    """

    def __init__(self, answer: Answer, at_once: int = AT_ONCE, quick: float = QUICK) -> None:
        self.answer, self.quick = answer, quick
        self.seats = anyio.CapacityLimiter(at_once)
        self.threads = anyio.CapacityLimiter(math.inf)  # who has a seat waits for nothing else

    async def serve(self, socket: WebSocket) -> None:
        """Answer one visitor until the socket closes."""
        if not same_origin(socket.headers):
            await socket.close()  # before it was accepted: the browser is told 403
            return
        # Reading strictly takes a library that a bare start does without.
        await to_thread.run_sync(import_module, "attnviz.ui.live_request", limiter=self.threads)
        await socket.accept()
        visitor = _Visitor(socket, self)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(visitor.answer)
            await visitor.read()
            tasks.cancel_scope.cancel()  # what waits is dropped; what computes comes to its end unheard

    def some(self, request: "Request", place: int) -> list[bytes]:
        """Return the answers from one ask on: of quick models several, as a change of threads takes its time too."""
        until, said = time.perf_counter() + self.quick, [self.say(request, place)]
        while place + len(said) < len(request.head.asks) and time.perf_counter() < until:
            said.append(self.say(request, place + len(said)))
        return said

    def say(self, request: "Request", place: int) -> bytes:
        """Return the answer to one ask, or a sentence that says why there is none."""
        try:
            return self.answer(request, place)
        except AttnvizError as error:
            sentence = str(error)
        except Exception:
            _log.exception("No answer to ask %d of a live request", place)
            sentence = UNEXPECTED
        done = place == len(request.head.asks) - 1
        return pack({"number": request.head.number, "ask": place, "done": done, "error": sentence}, {})


class _Visitor:
    def __init__(self, socket: WebSocket, channel: Channel) -> None:
        self.socket, self.channel = socket, channel
        self.waiting: Request | None = None
        self.news = anyio.Event()

    async def read(self) -> None:
        """Keep the newest request, until the socket closes; refuse what is none."""
        from attnviz.ui.live_request import number_of, read

        while (message := await self.socket.receive())["type"] != "websocket.disconnect":
            came = message.get("bytes") or b""  # of text, nothing: a request is binary
            try:
                request = read(came)
            except AttnvizError as error:
                await self.tell(number_of(came), error=str(error))
                continue
            dropped, self.waiting = self.waiting, request
            self.news.set()
            if dropped is not None:
                await self.tell(dropped.head.number, stale=True)

    async def answer(self) -> None:
        """Answer the newest request, one ask after the other."""
        request, place = None, 0
        while True:
            if request is None:
                await self.news.wait()
            stale = None
            async with self.channel.seats:
                if self.waiting is not None:  # newer than the one being answered, or than the one that began to wait
                    stale, request, place = request, self.waiting, 0
                    self.waiting, self.news = None, anyio.Event()
                assert request is not None
                said = await to_thread.run_sync(self.channel.some, request, place, limiter=self.channel.threads)
            if stale is not None:  # not while sitting: a visitor who does not listen would keep the seat
                await self.tell(stale.head.number, stale=True)
            for one in said:
                await self.send(one)
            place += len(said)
            if place == len(request.head.asks):
                request = None

    async def tell(self, number: int | None, **words: Any) -> None:
        """Send the last word on a request that gets no answer."""
        await self.send(pack({"number": number, "done": True, **words}, {}))

    async def send(self, message: bytes) -> None:
        """Send a message; where the socket has just closed, `read` will hear of it."""
        try:
            await self.socket.send_bytes(message)
        except (WebSocketDisconnect, RuntimeError):
            _log.debug("A visitor left before the answer")


def _answer(request: "Request", place: int) -> bytes:
    from attnviz.ui import live_answer  # and with it torch, in the thread that computes

    return live_answer.answer(request, place)

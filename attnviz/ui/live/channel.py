"""The live channel: a model answers while a hand moves, over a WebSocket, without a rerun of a page.

`request` defines the requests, `answer` the answers, and `frontend/live/live.js` is the browser's side. A request is
one message; each of its asks gets one answer, or several in sequence if it is computed step by step. All are payloads
(payload.py) that repeat the request's number; the last one has `"done": true`:

    an answer        number, ask, done, checkpoint, digest, axes, parameters, milliseconds; arrays logits, probabilities
                     and the wanted values; for a canvas also prepared, the steps, and the array seen
    a refusal        number (null if it cannot be read), done, error: one sentence; ask, if only one was refused
    "stale": true    number, done: a newer request arrived before this one, or the rest of it, was begun

For each visitor, one request is being answered and one may wait: the newest. Nothing else is stored about a visitor,
and nothing after the socket has closed. For all visitors together, few models compute at once, in threads. Requests
wait in the same queue as all other computation, including pages (attnviz/work/queue.py), while the server keeps
receiving; the browser that has computed least is next (`seats`). Long work (`budget`) goes last, lets others in after
every chunk, and runs one at a time per browser, so quick work never waits for it.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import anyio
import streamlit as st
from anyio import from_thread, to_thread
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from attnviz.errors import AttnvizError
from attnviz.ui.live import budget
from attnviz.ui.live.seats import Browser, Seats
from attnviz.ui.shared import visitor
from attnviz.ui.shared.wording import UNEXPECTED, told
from attnviz.work.queue import QUEUE, Kind, Place, Queue

if TYPE_CHECKING:
    from attnviz.ui.live.request import Find, Request


class Planned(Protocol):
    """An entry of a request's `asks` that can be answered: `attnviz.ui.live.answer.Planned`."""

    @property
    def work(self) -> float:
        """The work in units of `budget`."""
        ...

    @property
    def answers(self) -> Callable[[], Iterator[bytes]]:
        """A function that returns the answers, one after the other."""
        ...


Plan = Callable[["Request"], Sequence[Planned]]

QUICK = 0.01  # seconds

A = TypeVar("A")
T = TypeVar("T")

_log = logging.getLogger(__name__)


def routes(find: "Find") -> list[BaseRoute]:
    """Return the channel's route for `st.App`, which does not prepend `server.baseUrlPath` to our routes."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return [WebSocketRoute(f"/{base}/live" if base else "/live", Channel(_plan, find).serve)]


def _words(header: dict[str, Any]) -> bytes:
    """Return a payload without arrays."""
    from attnviz.views.payload import pack  # imports numpy, which a bare start avoids

    return pack(header, {})


class Channel:
    """Answers the requests of all visitors.

    Args:
        plan: Plans the answers to each ask of a request, or refuses the request, in a thread.
        find: Returns the derived value of a name.
        queue: The queue shared with pages: quick work goes before pages, long work after them.
        quick: The seconds for which asks of one request are answered in a row before checking for a newer one.
    """

    def __init__(self, plan: Plan, find: "Find", queue: Queue = QUEUE, quick: float = QUICK) -> None:
        self.plan, self.find, self.quick = plan, find, quick
        self.queue, self.seats = queue, Seats(queue)
        self.threads = anyio.CapacityLimiter(math.inf)  # whoever holds a seat must not wait for a thread as well
        self.browsers: WeakValueDictionary[str, Browser] = WeakValueDictionary()

    async def serve(self, socket: WebSocket) -> None:
        """Answer one visitor until the socket closes."""
        # Strict validation imports a library that a bare start avoids.
        await to_thread.run_sync(import_module, "attnviz.ui.live.request", limiter=self.threads)
        await socket.accept()
        visitor = _Visitor(socket, self)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(visitor.answer)
            await visitor.read()
            visitor.left = True
            tasks.cancel_scope.cancel()  # waiting work is dropped; running work ends after its chunk, unsent

    def begin(self, request: "Request") -> "_Begun":
        """Return a request with the answers to the first of its quick asks.

        A request that is too much work is answered with a sentence that says so.
        """
        try:
            planned = self.plan(request)
        except AttnvizError as error:
            return _refused(request, told(error))
        except Exception:
            _log.exception("No answer to a live request")
            return _refused(request, UNEXPECTED)
        begun = _Begun(request, planned, budget.long([one.work for one in planned]))
        self.some(begun)
        return begun

    def some(self, begun: "_Begun") -> None:
        """Compute the next quick answers, several at a time because switching threads takes time too."""
        until, first = time.perf_counter() + self.quick, begun.place
        while begun.place < len(begun.long) and not begun.long[begun.place]:
            if begun.place > first and time.perf_counter() >= until:
                break
            begun.messages += self.say(begun, begun.place)
            begun.place += 1

    def say(self, begun: "_Begun", place: int) -> Iterator[bytes]:
        """Yield the answers to one ask, or a sentence on why there is none."""
        try:
            yield from begun.planned[place].answers()
            return
        except budget.Dropped:
            raise
        except AttnvizError as error:
            sentence = told(error)
        except Exception:
            _log.exception("No answer to ask %d of a live request", place)
            sentence = UNEXPECTED
        done = place == len(begun.planned) - 1
        yield _words({"number": begun.request.head.number, "ask": place, "done": done, "error": sentence})


@dataclass
class _Begun:
    """A request that is being answered: its long asks, its next ask, and the messages ready to be sent."""

    request: "Request"
    planned: Sequence[Planned]
    long: list[bool]
    place: int = 0
    messages: list[bytes] = field(default_factory=list)

    def taken(self) -> list[bytes]:
        """Return and clear the messages that are ready to be sent."""
        messages, self.messages = self.messages, []
        return messages


def _refused(request: "Request", sentence: str) -> _Begun:
    message = _words({"number": request.head.number, "done": True, "error": sentence})
    return _Begun(request, [], [], messages=[message])


class _Visitor:
    def __init__(self, socket: WebSocket, channel: Channel) -> None:
        self.socket, self.channel = socket, channel
        self.waiting: Request | None = None
        self.news = anyio.Event()
        # Browsers send a cookie. All clients at an address that send none share the budget of one browser.
        name = socket.cookies.get(visitor.COOKIE) or f"at {socket.client.host if socket.client else ''}"
        self.browser = channel.browsers.setdefault(name, Browser(channel.seats.clock))
        self.place: Place | None = None  # the place in line for long work
        self.left = False

    async def read(self) -> None:
        """Keep the newest request until the socket closes, and refuse invalid ones."""
        from attnviz.ui.live.request import number_of, read

        while (message := await self.socket.receive())["type"] != "websocket.disconnect":
            content = message.get("bytes") or b""  # requests are binary; a text message has no bytes
            try:
                request = read(content, self.channel.find)
            except AttnvizError as error:
                await self.tell(number_of(content), error=told(error))
                continue
            except Exception:
                _log.exception("A live request cannot be read")
                await self.tell(number_of(content), error=UNEXPECTED)
                continue
            dropped, self.waiting = self.waiting, request
            self.news.set()
            if dropped is not None:
                await self.tell(dropped.head.number, stale=True)

    async def answer(self) -> None:
        """Answer the newest request, one ask after the other."""
        begun: _Begun | None = None
        while True:
            if begun is None:
                await self.news.wait()
            stale = None
            if begun is None or self.waiting is not None or not begun.long[begun.place]:
                async with self.channel.seats.seat(self.browser):
                    if self.waiting is not None:  # newer than the request being answered, or than one still waiting
                        stale, request = begun, self.waiting
                        self.waiting, self.news = None, anyio.Event()
                        begun = await self.charged(self.channel.begin, request, begins=True)
                    else:
                        assert begun is not None
                        await self.charged(self.channel.some, begun)
            else:
                await self.long(begun)
            assert begun is not None
            if stale is not None:  # only after the seat is free: a visitor who does not read would keep it
                await self.tell(stale.request.head.number, stale=True)
            for message in begun.taken():
                await self.send(message)
            if begun.place >= len(begun.long):
                begun = None

    async def long(self, begun: _Begun) -> None:
        """Answer one long ask, step by step; abandon it if a newer request has arrived meanwhile."""
        async with self.browser.one_long:
            token = budget.PAUSE.set(self.pause)
            try:
                await self.sit()
                await self.thread(self.steps, begun)
            except budget.Dropped:
                return
            finally:
                budget.PAUSE.reset(token)
                self.rise()

    def steps(self, begun: _Begun) -> None:
        """Compute the answers to one ask, in the computing thread, and send all but the last as they are ready."""
        with self.channel.queue.within():
            for message in self.channel.say(begun, begun.place):
                for earlier in begun.taken():
                    from_thread.run(self.deliver, earlier)
                begun.messages.append(message)
        begun.place += 1

    async def deliver(self, message: bytes) -> None:
        """Send a message without holding a seat, since a visitor who does not read it would block the seat."""
        self.rise()
        await self.send(message)
        await self.sit()

    def pause(self) -> None:
        """Let others who wait for a long seat have it after a chunk, from the computing thread."""
        try:
            from_thread.run(self.sit)
        except CancelledError:  # the visitor has left while waiting
            raise budget.Dropped from None

    async def sit(self) -> None:
        """Take a seat for long work, behind all who wait for one."""
        self.rise()
        self.drop()  # before any await, since cancelled work must not wait
        self.place = await self.channel.queue.join(Kind.LONG)
        self.drop()

    def drop(self) -> None:
        """Abandon work that nobody waits for any more."""
        if self.left or self.waiting is not None:
            raise budget.Dropped

    def rise(self) -> None:
        """Release the seat for long work."""
        if self.place is not None:
            self.channel.queue.leave(self.place)
            self.place = None

    async def thread(self, function: Callable[[A], T], given: A) -> T:
        """Call a function in a thread."""
        return await to_thread.run_sync(function, given, limiter=self.channel.threads)

    async def charged(self, function: Callable[[A], T], given: A, *, begins: bool = False) -> T:
        """Call a function in a thread, and charge the browser for its computing time."""

        def timed(given: A) -> T:
            began = time.thread_time()
            try:
                return function(given)
            finally:
                self.browser.charge(time.thread_time() - began, begins=begins)

        return await self.thread(timed, given)

    async def tell(self, number: int | None, **words: Any) -> None:
        """Send the last message of a request that gets no answer."""
        await self.send(_words({"number": number, "done": True, **words}))

    async def send(self, message: bytes) -> None:
        """Send a message; if the socket has just closed, `read` will notice."""
        try:
            await self.socket.send_bytes(message)
        except (WebSocketDisconnect, RuntimeError):
            _log.debug("A visitor left before the answer")


def _plan(request: "Request") -> Sequence[Planned]:
    from attnviz.ui.live import answer  # imports torch, in the computing thread

    return answer.plan(request)

"""A real server with a live channel in a thread, visitors with real sockets, and a model that waits to be told."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.sync.client import ClientConnection, connect

from attnviz.errors import BadInput
from attnviz.ui.live import budget
from attnviz.ui.live.channel import Channel
from attnviz.ui.live.request import Request
from attnviz.ui.shared.visitor import COOKIE
from attnviz.views.payload import pack, unpack

WAIT = 120.0  # seconds after which a test that waits has failed
NAME = "pixel_attention.1v8"
SEATS = 2  # live answers at once; there is one more turn for pages
LONG, TOO_LONG = 1_000_000, 2_000_000  # numbers of requests whose asks take long, or are too much work


class Server:
    """A running channel."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.left = threading.Semaphore(0)  # released when the server is through with a visitor
        self.port = 0

    async def serve(self, socket: WebSocket) -> None:
        """Serve one visitor, and say when that has ended."""
        try:
            await self.channel.serve(socket)
        finally:
            self.left.release()

    @contextmanager
    def visitor(self, origin: str | None = "same", **options: Any) -> Iterator["Visitor"]:
        """Open a socket, as a page of this server does, or of another origin; by default in a browser of its own."""
        options.setdefault("additional_headers", {"Cookie": f"{COOKIE}={uuid4()}"})
        address = f"127.0.0.1:{self.port}"
        named = f"http://{address}" if origin == "same" else origin
        url = f"ws://{address}/live"
        options.setdefault("max_queue", None)  # else one who leaves with answers unread waits ten seconds
        with connect(url, origin=named, compression=None, max_size=None, **options) as connection:
            yield Visitor(connection)


class Visitor:
    """One browser's socket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, number: int, arrays: dict[str, np.ndarray] | None = None, **header: Any) -> None:
        """Send a request."""
        self.connection.send(request(number, arrays, **header))

    def hear(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the next answer: header and arrays."""
        message = self.connection.recv(timeout=WAIT)
        assert isinstance(message, bytes)
        return unpack(message)

    def ask(self, number: int, arrays: dict[str, np.ndarray] | None = None, **header: Any) -> Any:
        """Send a request and return the next answer."""
        self.send(number, arrays, **header)
        return self.hear()


class Slow:
    """A model that answers only when it may, and remembers what it was asked."""

    def __init__(self) -> None:
        self.may = threading.Semaphore(0)
        self.began = threading.Semaphore(0)
        self.asked: list[tuple[int, int]] = []
        self.now = self.most = 0
        self.lock = threading.Lock()

    def __call__(self, request: Request, place: int) -> bytes:
        with self.lock:
            self.asked.append((request.head.number, place))
            self.now += 1
            self.most = max(self.most, self.now)
        self.began.release()
        assert self.may.acquire(timeout=WAIT)
        with self.lock:
            self.now -= 1
        done = place == len(request.head.asks) - 1
        assert request.pictures is not None
        return pack({"number": request.head.number, "ask": place, "done": done}, {"pictures": request.pictures})

    def wait(self) -> None:
        """Wait until it has been asked once more."""
        assert self.began.acquire(timeout=WAIT)


def request(number: Any, arrays: dict[str, np.ndarray] | None = None, **header: Any) -> bytes:
    """Return a request, by default for nothing but what the model says of an empty picture."""
    header = {"number": number, "asks": [{"checkpoint": NAME}], **header}
    if arrays is None and "pictures" not in header:
        arrays = {"pictures": np.zeros((28, 28, 1), np.uint8)}
    return pack(header, arrays or {})


@contextmanager
def serving(channel: Channel) -> Iterator[Server]:
    """Run a server with a channel, and with /alive, until the end of the block."""
    running = Server(channel)
    ready = threading.Event()

    class Uvicorn(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    async def alive(_: HttpRequest) -> PlainTextResponse:
        return PlainTextResponse("yes")

    app = Starlette(routes=[WebSocketRoute("/live", running.serve), Route("/alive", alive)])
    config = uvicorn.Config(app, ws="websockets-sansio", ws_max_size=1 << 26, lifespan="off", log_level="warning")
    server = Uvicorn(config)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        running.port = bound.getsockname()[1]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        try:
            assert ready.wait(WAIT)
            yield running
        finally:
            server.should_exit = True
            thread.join(WAIT)
        assert not thread.is_alive()


@dataclass
class Planned:
    """One ask of a request."""

    work: float
    answers: Callable[[], Iterator[bytes]]


def weigh(asked: Request) -> list[float]:
    """Return how much work the asks of a request are, by its number."""
    if asked.head.number >= TOO_LONG:
        raise BadInput("Two of its pictures would fit.")
    return [budget.LIGHT + (asked.head.number >= LONG)] * len(asked.head.asks)


def planning(
    answer: Callable[[Request, int], bytes], weigh: Callable[[Request], list[float]] = weigh
) -> Callable[[Request], list[Planned]]:
    """Return what plans a request whose asks are answered by a function of the request and the place."""

    def planned(asked: Request) -> list[Planned]:
        return [Planned(work, partial(_one, answer, asked, place)) for place, work in enumerate(weigh(asked))]

    return planned


def _one(answer: Callable[[Request, int], bytes], asked: Request, place: int) -> Iterator[bytes]:
    yield answer(asked, place)


def release(slow: Slow, times: int = 1) -> None:
    slow.may.release(times)


def last_words(visitor: Visitor, count: int) -> list[tuple[Any, ...]]:
    """Return number, and ask or "stale", of the next messages."""
    heard = [visitor.hear()[0] for _ in range(count)]
    return [(one["number"], "stale" if one.get("stale") else one["ask"]) for one in heard]


def send_newer(visitor: Visitor) -> None:
    """Send request 2, and return when the server has taken it in."""
    visitor.send(2)
    visitor.connection.send(b"nonsense")  # refused at once, and therefore after the request
    assert "error" in visitor.hear()[0]


def last_words_of(visitor: Visitor, number: int) -> list[tuple[Any, ...]]:
    visitor.send(number)
    return last_words(visitor, 1)

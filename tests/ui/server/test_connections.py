"""How many connections are held, and which one goes where there are too many."""

import asyncio
import socket
import threading
from asyncio.selector_events import BaseSelectorEventLoop
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from attnviz.ui.server import connections
from attnviz.ui.server.asked import REFUSED, Asked
from attnviz.ui.server.connections import Connections, Listener, counted

WAIT = 30.0


class Transport:
    """Of a connection that has no request, is being answered, or is a WebSocket's."""

    def __init__(self, address: str, kind: str = "idle") -> None:
        self.address, self.closed = address, False
        cycles: dict[str, Any] = {
            "idle": SimpleNamespace(cycle=None),
            "answered": SimpleNamespace(cycle=SimpleNamespace(response_complete=True)),
            "busy": SimpleNamespace(cycle=SimpleNamespace(response_complete=False)),
            "socket": SimpleNamespace(),
        }
        self.protocol = cycles[kind]

    def get_extra_info(self, _: str) -> tuple[str, int]:
        return self.address, 1

    def get_protocol(self) -> Any:
        return self.protocol

    def is_closing(self) -> bool:
        return self.closed

    def abort(self) -> None:
        self.closed = True


def closed(kinds: list[tuple[str, str]]) -> list[int]:
    """Return which are closed, one after the other come, where there may be 4, and 3 of an address."""
    known, came = Connections(4, 3), [Transport(*one) for one in kinds]
    for one in came:
        known.came(one)
    assert len([one for one in known.open if not one.is_closing()]) <= 4
    return [number for number, one in enumerate(came) if one.closed]


@pytest.mark.parametrize(
    ("kinds", "gone"),
    [
        ([("a", "idle")] * 3 + [("b", "idle")], []),
        ([("a", "idle")] * 5, [0, 1]),  # the one that waits for longest
        ([("a", "busy"), ("a", "answered"), ("a", "idle"), ("a", "idle")], [1]),
        ([("a", "busy"), ("a", "socket"), ("a", "busy"), ("a", "idle")], [3]),  # the new one
        ([("b", "idle"), ("a", "busy"), ("a", "idle"), ("a", "idle"), ("a", "idle")], [2]),  # of its own address
        ([("b", "busy"), ("b", "busy"), ("a", "idle"), ("a", "idle"), ("c", "idle")], [2]),  # of all
    ],
)
def test_the_connection_goes_that_was_idle_for_longest(kinds: list[tuple[str, str]], gone: list[int]) -> None:
    assert closed(kinds) == gone


@pytest.mark.parametrize(("of_each", "most"), [(1, 40), (5, 500)])
def test_those_that_have_closed_are_not_held_and_seldom_looked_for(of_each: int, most: int) -> None:
    known, looked, held = Connections(1000, 3), 0, [Transport(str(number)) for number in range(100)]
    for one in held:
        known.came(one)
    for number in range(2000):
        before, one = known.open, Transport(f"more {number // of_each}", "socket")
        known.came(one)
        assert not one.closed
        one.closed = True
        looked += known.open is not before
        assert len(known.open) <= 250
    assert 0 < looked < most
    assert all(one in known.open for one in held)


@pytest.fixture
def port() -> Iterator[int]:
    """A server that holds 6 connections of an address."""
    ready = threading.Event()

    class Own(H11Protocol):
        connection_made = counted(H11Protocol.connection_made, Connections(8, 6))

    class Uvicorn(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    async def answer(_: Request) -> PlainTextResponse:
        return PlainTextResponse("here")

    app = Starlette(routes=[Route("/", answer)])
    runs = Uvicorn(uvicorn.Config(app, http=Own, lifespan="off", log_level="warning"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=runs.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        assert ready.wait(WAIT)
        yield listener.getsockname()[1]
        runs.should_exit = True
        thread.join(WAIT)


def test_who_holds_connections_keeps_nobody_out(port: int) -> None:
    held = [socket.create_connection(("127.0.0.1", port), WAIT) for _ in range(20)]
    with socket.create_connection(("127.0.0.1", port), WAIT) as other:
        other.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert other.makefile("rb").read().endswith(b"here")
    for one in held[:14]:
        assert hung_up(one)
    for one in held:
        one.close()


def hung_up(one: socket.socket) -> bool:
    """Wait for the end of a connection."""
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True


def test_an_address_that_goes_on_trying_is_closed_as_it_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    for _ in range(int(REFUSED) + 5):
        asked.note_refused("10.0.0.1")
    monkeypatch.setattr(connections, "ASKED", asked)
    waiting = [(Connection(), (f"10.0.0.{1 + (number == 50)}", 1)) for number in range(150)]
    came = waiting.copy()
    listener: Any = Listener(SimpleNamespace(accept=lambda: waiting.pop(0)))
    assert listener.accept() == came[50]
    with pytest.raises(BlockingIOError):
        listener.accept()
    assert len(waiting) == 150 - 51 - connections.CLOSED_AT_A_TIME
    assert [one.closed for one, _ in came[:60]] == [True] * 50 + [False] + [True] * 9
    assert asked._refused["10.0.0.1"][0] > REFUSED + 100  # it goes on as long as they do


class Connection:
    closed = False

    def close(self) -> None:
        self.closed = True


def test_few_are_accepted_before_any_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(BaseSelectorEventLoop, "_accept_connection", lambda *of: asked.append(of[5]))
    monkeypatch.setattr(BaseSelectorEventLoop, "_process_events", lambda _, ready: asked.append(len(ready)))
    monkeypatch.setattr(Connections, "few", lambda _, ready: ready[:2])
    monkeypatch.setattr(BaseSelectorEventLoop, "takes_few", False, raising=False)
    monkeypatch.setattr(connections, "counted", lambda made, _: made)
    connections.bound()
    loop = asyncio.SelectorEventLoop()
    for backlog in (2048, 3):
        loop._accept_connection(None, None, None, None, backlog)  # type: ignore[attr-defined]
    loop._process_events([1, 2, 3])  # type: ignore[attr-defined]
    loop.close()
    assert asked == [connections.AT_A_TIME, 3, 2]


class Reads(asyncio.Protocol):
    """Notes in which turns of the loop something is read."""

    def __init__(self, turns: list[int], now: list[int]) -> None:
        self.turns, self.now = turns, now

    def data_received(self, _: bytes) -> None:
        self.turns.append(self.now[0])


def test_few_of_an_address_are_read_before_anything_else_is_done() -> None:
    """800 handshakes at once were read in one turn of the loop, which took half a second of processor time."""

    class Loop(asyncio.SelectorEventLoop):
        def _process_events(self, ready: Any) -> None:
            now[0] += 1
            super()._process_events(known.few(ready))  # type: ignore[misc]

    known, now, loop, held = Connections(1000, 1000), [0], Loop(), []
    read: dict[str, list[int]] = {"many": [], "one": [], "": []}  # "": what is no connection of a visitor

    async def serve() -> None:
        for who in ["many"] * 50 + ["one"] * 2 + [""] * 20:
            mine, theirs = socket.socketpair()
            transport, _ = await loop.connect_accepted_socket(lambda: Reads(read[who], now), mine)  # noqa: B023
            known.open |= {transport: who} if who else {}
            held.append((transport, theirs))
        for _, one in held:
            one.send(b"GET")
        now[0] = 0
        while sum(map(len, read.values())) < len(held):
            await asyncio.sleep(0)
        for transport, one in held:
            transport.close()
            one.close()
        await asyncio.sleep(0)

    loop.run_until_complete(asyncio.wait_for(serve(), WAIT))
    loop.close()
    assert max(Counter(read["many"]).values()) == connections.AT_A_TIME
    assert len({*read["one"], *read[""]}) == 1 and max(read["one"]) < max(read["many"])

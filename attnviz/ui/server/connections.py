"""Limits the number of connections as they are accepted, before a byte of them has arrived.

If there are too many, the connection that has been idle longest is closed: a browser opens a new one when it needs it,
and a client that only holds connections keeps few.

asyncio accepts all waiting connections, up to 2,048, before it handles any. Here it accepts a few at a time, so the
limit is never exceeded by much, and descriptors do not run out, for which asyncio would write 2,048 tracebacks a
second. Connections from an address that keeps trying although it is refused are closed at once.

asyncio also reads all data that have arrived before it does anything else: with 800 handshakes at once, a visitor who
draws would wait for all of them at each step of an answer. Here it reads few connections of an address at a time.
"""

import asyncio
import selectors
import socket
from asyncio.selector_events import BaseSelectorEventLoop
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.ui.server.asked import ASKED
from attnviz.ui.server.descriptors import for_connections
from attnviz.ui.server.sockets import network

AT_A_TIME = 16
CLOSED_AT_A_TIME = 64
OF_AN_ADDRESS = 0.75  # of all connections: a whole class may share one address

Event = tuple[selectors.SelectorKey, int]


class Connections:
    """The open connections, limited in total and for each IP address."""

    def __init__(self, in_all: int, of_an_address: int) -> None:
        self.in_all, self.of_an_address = in_all, of_an_address
        self.open: dict[asyncio.Transport, str] = {}  # in order of arrival; some may have closed since
        self._counts: Counter[str] = Counter()
        self._look = 0  # above this count, closed connections are removed

    def came(self, transport: asyncio.Transport) -> None:
        """Count a new connection, and close one if there are too many."""
        own = self.open[transport] = network((transport.get_extra_info("peername") or ("",))[0])
        self._counts[own] += 1
        if len(self.open) > min(self._look, self.in_all) or self._counts[own] > self.of_an_address:
            self.open = {one: address for one, address in self.open.items() if not one.is_closing()}
            self._counts = Counter(self.open.values())
            self._look = 2 * len(self.open)
        if self._counts[own] > self.of_an_address:
            _close_one([one for one, address in self.open.items() if address == own])
        elif len(self.open) > self.in_all:
            _close_one([*self.open])

    def few(self, ready: list[Event]) -> list[Event]:
        """Return the events to handle in this turn of the loop: at most `AT_A_TIME` of an address; others wait."""
        read: Counter[str] = Counter()
        found = []
        for key, events in ready:
            reader = key.data[0] if events & selectors.EVENT_READ else None
            transport: Any = getattr(reader and reader._callback, "__self__", None)
            if address := self.open.get(transport):
                read[address] += 1
            if not address or read[address] <= AT_A_TIME:
                found.append((key, events))
        return found


def _close_one(among: list[asyncio.Transport]) -> None:
    next((one for one in among if _is_idle(one.get_protocol())), among[-1]).abort()


def _is_idle(protocol: Any) -> bool:
    """Return whether a uvicorn connection has no request, or only one that has been answered."""
    return hasattr(protocol, "cycle") and (protocol.cycle is None or protocol.cycle.response_complete)


def bound() -> None:
    """Limit the connections of this process; call this once, before the server starts."""
    if getattr(BaseSelectorEventLoop, "takes_few", False):
        return
    in_all = for_connections()
    connections = Connections(in_all, int(OF_AN_ADDRESS * in_all))
    accept = BaseSelectorEventLoop._accept_connection  # type: ignore[attr-defined]

    def accept_few(loop: Any, make: Any, listener: Any, tls: Any, server: Any, backlog: int, *more: Any) -> None:
        accept(loop, make, Listener(listener), tls, server, min(backlog, AT_A_TIME), *more)

    handle: Callable[[Any, list[Event]], None] = BaseSelectorEventLoop._process_events  # type: ignore[attr-defined]

    def handle_few(loop: Any, ready: list[Event]) -> None:
        handle(loop, connections.few(ready))

    for module, name in (("h11_impl", "H11Protocol"), ("httptools_impl", "HttpToolsProtocol")):
        try:
            kind = getattr(import_module(f"uvicorn.protocols.http.{module}"), name)
        except ImportError:
            continue
        kind.connection_made = counted(kind.connection_made, connections)
    setattr(BaseSelectorEventLoop, "_accept_connection", accept_few)  # noqa: B010
    setattr(BaseSelectorEventLoop, "_process_events", handle_few)  # noqa: B010
    setattr(BaseSelectorEventLoop, "takes_few", True)  # noqa: B010


class Listener:
    """A listening socket that closes connections from addresses that keep trying although they are refused."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener

    def __getattr__(self, name: str) -> Any:
        return getattr(self.listener, name)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its address; raise BlockingIOError if there is none at the moment."""
        for _ in range(CLOSED_AT_A_TIME):
            connection, address = self.listener.accept()
            if not address or not ASKED.is_closed_to(network(address[0])):
                return connection, address
            ASKED.note_refused(network(address[0]))
            connection.close()
        raise BlockingIOError


def counted(made: Any, connections: Connections) -> Any:
    """Return a protocol's `connection_made` that also counts the connection."""

    def connection_made(protocol: Any, transport: asyncio.Transport) -> None:
        made(protocol, transport)
        connections.came(transport)

    return connection_made


class NoDelay:
    """A middleware that sets TCP_NODELAY on the connection of every request and of every WebSocket.

    An ASGI server does not expose the connection. Uvicorn's `receive` is a method of the object that holds it. With
    another server, or behind a middleware that wraps `receive`, nothing is found and nothing is done.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport: Any = getattr(getattr(receive, "__self__", None), "transport", None)
        connection = transport.get_extra_info("socket") if hasattr(transport, "get_extra_info") else None
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self.app(scope, receive, send)

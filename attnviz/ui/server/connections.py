"""How many connections there may be: bounded as they are accepted, before a byte of them has arrived.

Where there is no room, the connection goes that has been idle for longest: a browser opens another when it needs it,
and whoever only holds connections holds few.

asyncio accepts all that wait, 2,048 of them, before it looks at any. Here it takes a few at a time: so there are never
many more than there may be, and descriptors do not run out, of which it would write 2,048 tracebacks a second. Those of
an address that goes on trying although it is refused are closed at once.

asyncio also reads all that has arrived before it does anything else: with 800 handshakes at once, who draws would wait
for all of them at each step of an answer. Here it reads few connections of an address in a turn of the loop.
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
OF_AN_ADDRESS = 0.75  # of all: a class may sit behind one

Event = tuple[selectors.SelectorKey, int]


class Connections:
    """Those that are open, so many in all and of one IP address."""

    def __init__(self, in_all: int, of_an_address: int) -> None:
        self.in_all, self.of_an_address = in_all, of_an_address
        self.open: dict[asyncio.Transport, str] = {}  # in the order in which they came; some may have closed since
        self._counts: Counter[str] = Counter()
        self._look = 0  # at so many, those that have closed are left out

    def came(self, transport: asyncio.Transport) -> None:
        """Count a new connection, and close one if that is too many."""
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
        """Return what is handled in this turn of the loop: at most `AT_A_TIME` of an address; the rest comes later."""
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
    """Return whether a connection of uvicorn's has no request, or only one that has been answered."""
    return hasattr(protocol, "cycle") and (protocol.cycle is None or protocol.cycle.response_complete)


def bound() -> None:
    """Bound the connections of this process: once, before the server starts."""
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
    """A socket that listens, and closes those who go on trying although they are refused."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener

    def __getattr__(self, name: str) -> Any:
        return getattr(self.listener, name)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection, and its address; raise BlockingIOError where there is none for now."""
        for _ in range(CLOSED_AT_A_TIME):
            connection, address = self.listener.accept()
            if not address or not ASKED.is_closed_to(network(address[0])):
                return connection, address
            ASKED.note_refused(network(address[0]))
            connection.close()
        raise BlockingIOError


def counted(made: Any, connections: Connections) -> Any:
    """Return a protocol's `connection_made` that counts the connection too."""

    def connection_made(protocol: Any, transport: asyncio.Transport) -> None:
        made(protocol, transport)
        connections.came(transport)

    return connection_made


class NoDelay:
    """A middleware that sets TCP_NODELAY on the connection of every request and of every WebSocket.

    An ASGI server does not name the connection. Uvicorn's `receive` is a method of what holds it; of another server, or
    behind a middleware that wraps it, nothing is found and nothing is done.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport: Any = getattr(getattr(receive, "__self__", None), "transport", None)
        connection = transport.get_extra_info("socket") if hasattr(transport, "get_extra_info") else None
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self.app(scope, receive, send)

"""How many connections there may be: bounded as they are accepted, before a byte of them has arrived.

Where there is no room, the connection goes that has been idle for longest: a browser opens another when it needs it,
and whoever only holds connections holds few.

asyncio accepts all that wait, 2,048 of them, before it looks at any. Here it takes a few at a time: so there are never
many more than there may be, and descriptors do not run out, of which it would write 2,048 tracebacks a second. Those of
an address that goes on trying although it is refused are closed at once.
"""

import asyncio
import socket
from asyncio.selector_events import BaseSelectorEventLoop
from importlib import import_module
from typing import Any

from attnviz.ui.server.asked import ASKED
from attnviz.ui.server.descriptors import for_connections
from attnviz.ui.server.sockets import network

AT_A_TIME = 16
CLOSED_AT_A_TIME = 64
OF_AN_ADDRESS = 0.75  # of all: a class may sit behind one


class Connections:
    """Those that are open.

    Args:
        in_all: so many at a time.
        of_an_address: of one IP address.
    """

    def __init__(self, in_all: int, of_an_address: int) -> None:
        self.in_all, self.of_an_address = in_all, of_an_address
        self.open: dict[asyncio.Transport, str] = {}  # in the order in which they came

    def came(self, transport: asyncio.Transport) -> None:
        """Count a new connection, and close one if that is too many."""
        self.open = {one: address for one, address in self.open.items() if not one.is_closing()}
        own = self.open[transport] = network((transport.get_extra_info("peername") or ("",))[0])
        same = [one for one, address in self.open.items() if address == own]
        if len(same) > self.of_an_address:
            _close_one(same)
        elif len(self.open) > self.in_all:
            _close_one([*self.open])


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

    for module, name in (("h11_impl", "H11Protocol"), ("httptools_impl", "HttpToolsProtocol")):
        try:
            kind = getattr(import_module(f"uvicorn.protocols.http.{module}"), name)
        except ImportError:
            continue
        kind.connection_made = counted(kind.connection_made, connections)
    setattr(BaseSelectorEventLoop, "_accept_connection", accept_few)  # noqa: B010
    setattr(BaseSelectorEventLoop, "takes_few", True)  # noqa: B010


class Listener:
    """A socket that listens, and closes those who go on trying although they are refused.

    Args:
        listener: the socket.
    """

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
            connection.close()
        raise BlockingIOError


def counted(made: Any, connections: Connections) -> Any:
    """Return a protocol's `connection_made` that counts the connection too."""

    def connection_made(protocol: Any, transport: asyncio.Transport) -> None:
        made(protocol, transport)
        connections.came(transport)

    return connection_made

"""Send small messages at once.

Streamlit binds its socket in a way that asyncio does not know for TCP, and so does not switch Nagle's algorithm off: of
two small messages the second then waits until the browser has confirmed the first, which takes 40 ms.
"""

import socket
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send


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

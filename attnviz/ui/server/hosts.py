"""Access control: only requests for this server by its own name, and sockets opened by its own pages, are accepted.

A browser lets any page open a WebSocket to any server. Streamlit checks the origin only for its own socket. To do so,
it requests this machine's address from an external service, in the event loop: ten such handshakes block it for 20 s if
that service does not answer. It also accepts any host as its own, so that a page of evil.example whose name has been
made to resolve to 127.0.0.1 (DNS rebinding) counts as ours. Here both are refused before they reach Streamlit.
"""

import ipaddress
import logging
import os
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

METRICS = "ATTNVIZ_METRICS"
"""If set to 1, this environment variable makes Streamlit's metrics on memory and sessions public."""

_log = logging.getLogger(__name__)


class Hosts:
    """ASGI middleware that refuses foreign hosts, sockets of foreign origin, and requests for the server's metrics.

    Hosts are localhost, every literal IP address, and the names in Streamlit's option `server.allowedHosts`, where
    "*.example.org" stands for all names below example.org and "*" for any.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it: 421 for a host, 403 for a socket, 404 for the metrics."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host")
        if scope["type"] == "websocket":
            if is_ours(host) and same_origin(headers):
                await self.app(scope, receive, send)
                return
            _log.warning("Refused a WebSocket of the origin %.100r for the host %.100r", headers.get("origin"), host)
            await receive()  # the connection request
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted, so the browser receives 403
        elif host is not None and not is_ours(host):  # a client that sends no Host header is not a browser
            await PlainTextResponse(not_ours(host), status_code=421)(scope, receive, send)
        elif scope["path"].rstrip("/").endswith("/_stcore/metrics") and os.environ.get(METRICS) != "1":
            await PlainTextResponse(f"Closed. {METRICS}=1 opens it.", status_code=404)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def is_ours(host: str | None) -> bool:
    """Return whether a Host header, with or without a port, names this server."""
    try:
        parts = urlsplit(f"//{host or ''}")
        name, port = parts.hostname, parts.port  # reading the port validates it
    except ValueError:
        return False
    if not name or parts.netloc != host or "@" in host or port == 0:
        return False
    if name == "localhost":
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return any(_means(listed.lower(), name) for listed in st.get_option("server.allowedHosts"))
    return True


def same_origin(headers: Headers) -> bool:
    """Return whether a page of this server opens the socket.

    A browser sends the page's origin; a client that sends none is not a browser. The comparison is case-sensitive, as
    it is in Streamlit, which would otherwise query the external service; browsers write both in lower case.
    """
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    host = headers.get("host", "")
    return origin.scheme in ("http", "https") and host != "" and origin.netloc == host


def not_ours(host: str) -> str:
    """Return the message for a visitor who used another host name."""
    return (
        f"This server is not known as {host[:100]!r}. Open it by its IP address or as localhost; or start it with "
        "--server.allowedHosts and that name."
    )


def _means(listed: str, name: str) -> bool:
    return listed in ("*", name) or (listed.startswith("*.") and name.endswith(listed[1:]))

"""Limits on WebSockets: how many anybody may open, how much each may make the server keep or do, and what it may send.

A server buffers a WebSocket message until it is complete, up to 50 MB by default, and does not count sockets. Here both
are limited on arrival: by the protocol that reads the connection, before a byte of a large message is buffered.

Any browser may send the message of Streamlit's developer menu that clears the caches, which all visitors share, so that
every page would be recomputed for everybody. It is dropped here.
"""

import ipaddress
import logging
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import MutableMapping
from typing import Any

import anyio
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ProtocolError
from websockets.frames import Frame, Opcode

from attnviz.ui.server.asked import ASKED, Visitor
from attnviz.ui.server.descriptors import for_connections
from attnviz.ui.shared.visitor import COOKIE

# A tab has one socket for Streamlit and one for each component that queries models. Each takes one descriptor
# (attnviz/ui/server/descriptors.py), and some must remain for page requests.
OF_A_BROWSER = 32
PAGES_OF_A_BROWSER = 12  # Streamlit's sockets among these: a person looks at one page at a time
OF_NO_BROWSER = 64  # sockets of one IP address without our cookie, which every page sets
# Sockets of one IP address whose browsers have loaded no page since the server started; and sockets for pages that have
# not sent any message yet, although every page sends one at once.
OF_UNSEEN = 200
OF_AN_ADDRESS = 400  # a class of a hundred may share one address
IN_ALL = 600

# A request of the live channel has at most a megabyte; Streamlit's largest messages contain the state of a page's
# widgets. Files are not sent this way.
LARGEST = 1 << 20
FRAGMENTS = 1024  # per message: browsers send large ones in a few parts
UNHEARD = 1 << 16  # unsent bytes for a client that does not read; beyond that, its pings get no answer
QUEUED = 100  # messages waiting on one socket: browsers send a few per second
PINGS = 100  # per socket and minute: browsers send none, and proxies send one every few seconds or more

THIS_MACHINE = "127.0.0.1"

STREAM = "/_stcore/stream"  # the path of Streamlit's own sockets

MOST_SEEN = 1_000  # addresses remembered, and browsers per address

_log = logging.getLogger(__name__)
# The browsers that have loaded a page from this process, by address, the latest last
_seen: OrderedDict[str, OrderedDict[str, None]] = OrderedDict()


class Sockets:
    """ASGI middleware that counts sockets, and limits what each makes the server store.

    Args:
        app: The app that answers.
        of_a_browser: The sockets of one browser at a time, identified by its cookie.
        pages_of_a_browser: The sockets of one browser that pages have open.
        of_an_address: The sockets of one IP address, or of one IPv6 network (/64), which is one household; at most half
            of all connections.
        in_all: The sockets of all visitors; at most three quarters of all connections.
        of_no_browser: The sockets of one IP address that send no cookie.
        of_unseen: The sockets of one IP address that send no cookie, or one that is forged or predates a restart, and
            the same number of Streamlit's own sockets that have not sent a message yet.
    """

    def __init__(
        self,
        app: ASGIApp,
        of_a_browser: int = OF_A_BROWSER,
        of_an_address: int = OF_AN_ADDRESS,
        in_all: int = IN_ALL,
        of_no_browser: int = OF_NO_BROWSER,
        of_unseen: int = OF_UNSEEN,
        pages_of_a_browser: int = PAGES_OF_A_BROWSER,
    ) -> None:
        self.app = app
        self.of_a_browser, self.of_no_browser, self.of_unseen = of_a_browser, of_no_browser, of_unseen
        self.pages_of_a_browser = pages_of_a_browser
        most = for_connections()
        self.of_an_address, self.in_all = min(of_an_address, most // 2), min(in_all, 3 * most // 4)
        self.open: Counter[tuple[str, str]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; refuse sockets above the limits with 429."""
        if scope["type"] == "http":
            await self.app(scope, receive, self._with_cookie(scope, send))
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address, browser = network((scope.get("client") or ("",))[0]), _browser(scope)
        keys = [("all", ""), ("address", address), (address, browser)]
        limits = [self.in_all, self.of_an_address, self.of_a_browser if browser else self.of_no_browser]
        who = known_as(address, browser)
        if not who[1]:
            keys.append(("unseen", address))
            limits.append(self.of_unseen)
        silent = ("silent", address)
        is_page = scope["path"].endswith(STREAM)
        if is_page:
            keys += [silent, ("pages", f"{address} {browser}")]
            limits += [self.of_unseen, self.pages_of_a_browser if browser else self.of_no_browser]
        if any(self.open[key] >= limit for key, limit in zip(keys, limits, strict=True)) or (
            is_page and ASKED.wait(who)
        ):
            ASKED.note_refused(address)
            _log.warning("Refused a WebSocket: %s has as many as it may", address)
            sentence = "There are too many connections already. Close other tabs of this app, or wait a moment."
            await PlainTextResponse(sentence, status_code=429)(scope, receive, send)
            return
        self.open.update(keys)

        async def heard() -> Message:
            message = await receive()
            if silent in keys and message["type"] == "websocket.receive":
                keys.remove(silent)
                self.open -= Counter([silent])
            return message

        if is_page:
            ASKED.note(who)
        try:
            bound(receive)
            await self.app(scope, _allowed(heard, send, who) if is_page else receive, send)
        finally:
            self.open.subtract(keys)
            for key in keys:
                if not self.open[key]:
                    del self.open[key]

    def _with_cookie(self, scope: Scope, send: Send) -> Send:
        """Record that a browser loads a page, and send it a cookie if it has none."""
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            return send
        known = _browser(scope)
        browser = known or secrets.token_urlsafe(16)
        note_seen(network((scope.get("client") or ("",))[0]), browser)
        if known:
            return send

        async def send_with_cookie(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                secure = "; Secure" if scope["scheme"] == "https" else ""
                cookie = f"{COOKIE}={browser}; Path=/; HttpOnly; SameSite=Lax{secure}"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        return send_with_cookie


def note_seen(address: str, browser: str) -> None:
    """Record that a browser at an address has loaded a page; only others at that address can evict it."""
    there = _seen.setdefault(address, OrderedDict())
    there[browser] = None
    for latest, key in ((there, browser), (_seen, address)):
        latest.move_to_end(key)
        if len(latest) > MOST_SEEN:
            latest.popitem(last=False)


def known_as(address: str, browser: str) -> Visitor:
    """Return the visitor that a browser at an address counts as, without its cookie if that may be forged."""
    return address, browser if browser in _seen.get(address, ()) else ""


def network(address: str) -> str:
    """Return the address by which a visitor is counted; for IPv6 its network, since anybody has 2^64 addresses."""
    if address == "::1":
        return THIS_MACHINE
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped is None:
            return str(ipaddress.ip_network((known.packed[:8] + bytes(8), 64)))
        known = known.ipv4_mapped
    return str(known)


def bound(receive: Receive, largest: int = LARGEST) -> None:
    """Limit what the protocol behind a socket buffers of an incomplete message.

    An ASGI server does not expose its protocol. Uvicorn's `receive` is a method of it; with another server nothing is
    found, and its buffer is not limited. The middleware runs before anything after the handshake is read.
    """
    protocol: Any = getattr(receive, "__self__", None)
    connection: Any = getattr(protocol, "conn", None)
    if not hasattr(connection, "max_message_size"):
        return
    connection.max_message_size = largest
    plain, fragments, pings, minute = connection.recv_frame, 0, 0, time.monotonic() // 60

    def receive_frame(frame: Frame) -> None:
        nonlocal fragments, pings, minute
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):  # parts may be empty, and do not count
            fragments = 0 if frame.fin else fragments + 1
            if fragments > FRAGMENTS:
                raise ProtocolError(f"more than {FRAGMENTS} fragments of one message")
            whole = sum(getattr(event, "fin", False) for event in connection.events) if frame.fin else 0
            if whole + protocol.queue.qsize() > QUEUED:
                raise ProtocolError(f"more than {QUEUED} messages at once")
        if frame.opcode in (Opcode.PING, Opcode.PONG):
            now = time.monotonic() // 60
            pings, minute = pings + 1 if now == minute else 1, now
            if pings > PINGS:
                raise ProtocolError(f"more than {PINGS} pings in a minute")
        if frame.opcode is Opcode.PING and protocol.transport.get_write_buffer_size() > UNHEARD:
            return
        plain(frame)

    connection.recv_frame = receive_frame


def _allowed(receive: Receive, send: Send, who: Visitor) -> Receive:
    """Return a `receive` that passes on the messages that visitors may send to Streamlit, no faster than a person acts.

    It closes the socket on text messages, which nothing here uses: Streamlit raises on text, with a traceback in the
    log for each; the live channel answers with a sentence. It drops messages that would clear everybody's caches.
    """

    async def receive_allowed() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            if message.get("bytes") is None:
                _log.warning("Closed a WebSocket that sent text")
                await send({"type": "websocket.close", "code": 1003})
                return {"type": "websocket.disconnect", "code": 1003}
            while seconds := ASKED.wait(who):
                await anyio.sleep(seconds)  # meanwhile nothing it sends is read
            ASKED.note(who)
            if not _clears_caches(message["bytes"]):
                return message
            _log.warning("Dropped a message that would have emptied the caches of all visitors")

    return receive_allowed


def _clears_caches(message: bytes) -> bool:
    """Return whether Streamlit would clear the caches on a message."""
    try:
        return bool(BackMsg.FromString(message).WhichOneof("type") == "clear_cache")
    except DecodeError:
        return False  # Streamlit reports the error


def visitor(scope: Scope) -> Visitor:
    """Return the visitor that a request counts for."""
    return known_as(network((scope.get("client") or ("",))[0]), _browser(scope))


def _browser(scope: Scope) -> str:
    return cookie_parser(Headers(scope=scope).get("cookie", "")).get(COOKIE, "")[:64]

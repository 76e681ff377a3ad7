"""Scripts, styles and pages packed, and kept packed: a first load is 1 MB then, not 3.5.

Streamlit sends its own scripts as they are, as packing them for every visitor would cost too much. Here each is packed
once. Scripts of components are sent without their documentation, a fifth of what they would be packed. They get an ETag
besides, so that a browser asks whether they have changed and need not fetch them again: an edit is seen at the next
load.
"""

import gzip
import hashlib
import re
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 24 << 20  # bytes that are kept: all of Streamlit's scripts are 6 MB packed
SMALLEST = 1000  # bytes that are worth it
TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/manifest+json")
COMPONENTS = "/_stcore/bidi-components/"
DOCUMENTATION = re.compile(
    rb"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$", re.DOTALL | re.MULTILINE
)  # its lines stay, for traces


class Compressed:
    """ASGI middleware that packs what is static: files below /static/, component files, and pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: OrderedDict[bytes, bytes] = OrderedDict()  # digest -> packed
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; pack the answer, or say that what the browser has is still right."""
        if scope["type"] != "http" or scope["method"] != "GET" or not is_static(scope):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        # What lies below answers in full, and plain, so that it can be named by what it holds.
        without = (b"accept-encoding", b"if-none-match", b"if-modified-since")
        plain = [(name, value) for name, value in scope["headers"] if name not in without]
        answer = _Answer(send)
        await self.app({**scope, "headers": plain}, receive, answer.send)
        if answer.start is None:  # it was sent as it was
            return
        if COMPONENTS in scope["path"] and scope["path"].endswith(".js"):
            answer.parts = [DOCUMENTATION.sub(_lines, answer.body)]
        await self.finish(headers, answer, send)

    async def finish(self, headers: Headers, answer: "_Answer", send: Send) -> None:
        """Send an answer that is whole: packed where the browser takes that, or 304 where it has it."""
        body, start = answer.body, answer.start
        assert start is not None
        digest = hashlib.blake2b(body, digest_size=16).digest()
        takes_gzip = "gzip" in headers.get("accept-encoding", "") and len(body) >= SMALLEST
        packed = await self.packed(digest, body) if takes_gzip else body
        outgoing = MutableHeaders(scope=start)
        etag = f'"{digest.hex()}{"-gzip" if takes_gzip else ""}"'
        outgoing["ETag"] = etag
        outgoing.add_vary_header("Accept-Encoding")
        if takes_gzip:
            outgoing["Content-Encoding"] = "gzip"
        if "immutable" not in outgoing.get("cache-control", ""):  # its name does not change with what it holds
            outgoing["Cache-Control"] = "no-cache"
        if etag in (word.strip().removeprefix("W/") for word in headers.get("if-none-match", "").split(",")):
            start["status"], packed = 304, b""
            del outgoing["Content-Encoding"]
            del outgoing["Content-Length"]
        else:
            outgoing["Content-Length"] = str(len(packed))
        await send(start)
        await send({"type": "http.response.body", "body": packed})

    async def packed(self, digest: bytes, body: bytes) -> bytes:
        """Return a body packed; of those that were packed, the ones asked for last are kept."""
        if digest in self.kept:
            self.kept.move_to_end(digest)
            return self.kept[digest]
        packed = await to_thread.run_sync(gzip.compress, body, 6)
        if digest not in self.kept:
            self.kept[digest] = packed
            self.size += len(packed)
        while self.size > MOST:
            self.size -= len(self.kept.popitem(last=False)[1])
        return packed


def is_static(scope: Scope) -> bool:
    """Say whether a request is for a file that holds the same for everybody, or for a page."""
    path = scope["path"]
    if "/static/" in path or COMPONENTS in path:
        return Headers(scope=scope).get("range") is None
    return "/_stcore/" not in path and "/media/" not in path and "text/html" in Headers(scope=scope).get("accept", "")


def _lines(found: re.Match[bytes]) -> bytes:
    return b"\n" * found[0].count(b"\n")


class _Answer:
    """Holds an answer back until it is whole, if it is a text without an error; hands any other on as it comes."""

    def __init__(self, send: Send) -> None:
        self.pass_on = send
        self.start: MutableMapping[str, Any] | None = None
        self.parts: list[bytes] = []

    @property
    def body(self) -> bytes:
        return b"".join(self.parts)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = Headers(scope=message)
            if (
                message["status"] == 200
                and headers.get("content-encoding") is None
                and headers.get("content-type", "").startswith(TYPES)
            ):
                self.start = message
                return
        if self.start is None:
            await self.pass_on(message)
        elif message["type"] == "http.response.body":
            self.parts.append(message.get("body", b""))

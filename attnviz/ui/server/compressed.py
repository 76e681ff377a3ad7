"""Compresses scripts, styles and pages, and caches the result: a first load is then 1 MB, not 3.5.

Streamlit sends its own scripts uncompressed, since compressing them for every visitor would cost too much. Here each is
compressed once. Components' scripts are sent without their documentation, which saves a fifth of the compressed size.
They also have an ETag, so that a browser only checks whether they have changed: an edit is visible at the next load.
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

MOST = 24 << 20  # bytes kept; all of Streamlit's scripts take 6 MB compressed
SMALLEST = 1000  # bytes; smaller answers are not worth compressing
TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/manifest+json")
COMPONENTS = "/_stcore/bidi-components/"
DOCUMENTATION = re.compile(
    rb"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$", re.DOTALL | re.MULTILINE
)  # newlines are kept, so that line numbers in stack traces stay correct


class Compressed:
    """ASGI middleware that compresses static content: files below /static/, component files, and pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: OrderedDict[bytes, bytes] = OrderedDict()  # digest -> compressed
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and compress the answer, or confirm that the browser's copy is still valid."""
        if scope["type"] != "http" or scope["method"] != "GET" or not is_static(scope):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        # Request the full, uncompressed answer, so that its ETag can be derived from its contents.
        without = (b"accept-encoding", b"if-none-match", b"if-modified-since")
        plain = [(name, value) for name, value in scope["headers"] if name not in without]
        answer = _Answer(send)
        await self.app({**scope, "headers": plain}, receive, answer.send)
        if answer.start is None:  # it was passed on unchanged
            return
        if COMPONENTS in scope["path"] and scope["path"].endswith(".js"):
            answer.parts = [DOCUMENTATION.sub(_lines, answer.body)]
        await self.finish(headers, answer, send)

    async def finish(self, headers: Headers, answer: "_Answer", send: Send) -> None:
        """Send a complete answer: compressed if the browser accepts that, or 304 if the browser has it."""
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
        if "immutable" not in outgoing.get("cache-control", ""):  # not named by its contents
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
        """Return a compressed body; the most recently used bodies are cached."""
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
    """Return whether a request is for a page, or for a file that is the same for everybody."""
    path = scope["path"]
    if "/static/" in path or COMPONENTS in path:
        return Headers(scope=scope).get("range") is None
    return "/_stcore/" not in path and "/media/" not in path and "text/html" in Headers(scope=scope).get("accept", "")


def _lines(found: re.Match[bytes]) -> bytes:
    return b"\n" * found[0].count(b"\n")


class _Answer:
    """Holds back a text answer without an error until it is complete; passes any other on as it comes."""

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

"""Limits the number of uploaded files that the server keeps, and the time for which one may keep others waiting.

Streamlit limits the size of a file, but keeps every file until its session ends. Pages here read a file as soon as it
has arrived, and do not need it afterwards, so only the latest are kept.
"""

from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from attnviz.ui.server.asked import Visitor
from attnviz.ui.server.sockets import visitor

PATH = "/_stcore/upload_file/"
AT_ONCE = 4  # simultaneous uploads, each briefly held in memory twice; others wait
OF_AN_ADDRESS = 3  # of these; a visitor has one, so that a slow client leaves seats to others
LONGEST = 120.0  # maximum seconds of one upload: 20 MB at 200 kB/s
SLICE = 5.0  # seconds over which the speed is measured
LEAST, LEAST_BESIDE = 4_000, 32_000  # bytes per second if nobody waits, and if somebody does
KEPT = 8  # files of all visitors together: 160 MB


class Uploads:
    """ASGI middleware that lets few files in at a time, and discards all but the latest.

    Args:
        app: The app that answers.
        at_once: The maximum number of files that arrive at the same time.
        of_an_address: The maximum number of these from one address.
        longest: The maximum time of one file, in seconds.
        piece: The seconds over which its speed is measured.
        kept: The number of files that are kept.
    """

    def __init__(
        self,
        app: ASGIApp,
        at_once: int = AT_ONCE,
        longest: float = LONGEST,
        piece: float = SLICE,
        kept: int = KEPT,
        of_an_address: int = OF_AN_ADDRESS,
    ) -> None:
        self.app, self.at_once, self.longest, self.piece, self.most = app, at_once, longest, piece, kept
        self.of_an_address = of_an_address
        self.seats: anyio.CapacityLimiter | None = None  # created in the event loop that uses it
        self.own: dict[Visitor | str, anyio.CapacityLimiter] = {}  # one for each visitor and each address
        self.here: Counter[Visitor | str] = Counter()  # their files that are arriving or waiting
        self.kept: OrderedDict[tuple[str, str], None] = OrderedDict()  # (session, file), the latest last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; an upload first waits for its turn, and is aborted with 408 if it takes too long."""
        if scope["type"] != "http" or scope["method"] != "PUT" or PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        status = 0

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        who = visitor(scope)
        async with self._seat(who):
            with anyio.move_on_after(self.longest) as time:
                await self.app(scope, self._in_time(receive, time, who[0]), send_and_see)
        if not status:
            await PlainTextResponse("The file took too long to arrive.", status_code=408)(scope, receive, send)
        elif status < 300:
            session, _, file = scope["path"].rpartition(PATH)[2].partition("/")
            self.keep(session, file)

    @asynccontextmanager
    async def _seat(self, who: Visitor) -> AsyncIterator[None]:
        """Wait for a seat; a visitor's files arrive one after the other."""
        self.seats = self.seats or anyio.CapacityLimiter(self.at_once)
        keys: tuple[Visitor | str, ...] = who, who[0]
        self.here.update(keys)
        one, few = (
            self.own.setdefault(key, anyio.CapacityLimiter(most))
            for key, most in zip(keys, (1, self.of_an_address), strict=True)
        )
        try:
            async with one, few, self.seats:
                yield
        finally:
            self.here.subtract(keys)
            for key in keys:
                if not self.here[key]:
                    del self.here[key], self.own[key]

    def _in_time(self, receive: Receive, time: anyio.CancelScope, address: str) -> Receive:
        """Return a `receive` that passes on the parts of a file, and aborts if they arrive too slowly."""
        began, arrived = anyio.current_time(), 0

        async def receive_in_time() -> Message:
            nonlocal began, arrived
            while True:
                message: Message | None = None
                with anyio.CancelScope(deadline=began + self.piece):
                    message = await receive()
                    arrived += len(message.get("body", b""))
                if message is not None and not message.get("more_body"):
                    return message
                if anyio.current_time() >= began + self.piece:
                    if arrived < self._least(address) * self.piece:
                        time.cancel()
                    began, arrived = anyio.current_time(), 0
                if message is not None:
                    return message
                await anyio.lowlevel.checkpoint()  # raises here if the client was too slow

        return receive_in_time

    def _least(self, address: str) -> int:
        """Return the minimum number of bytes per second."""
        waits = any(one is not None and one.statistics().tasks_waiting for one in (self.seats, self.own.get(address)))
        return LEAST_BESIDE if waits else LEAST

    def keep(self, session: str, file: str) -> None:
        """Record a file that has arrived, and make Streamlit discard those above the limit."""
        self.kept[session, file] = None
        self.kept.move_to_end((session, file))
        while len(self.kept) > self.most:
            files: Any = runtime.get_instance().uploaded_file_mgr
            files.remove_file(*self.kept.popitem(last=False)[0])

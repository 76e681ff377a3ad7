"""How many uploaded files anybody may make the server keep.

Streamlit bounds the size of a file, and keeps every file until its session ends, however many there are. Pages here
read a file as soon as it has arrived, and need it no longer: only the latest are kept.
"""

from collections import OrderedDict
from typing import Any

import anyio
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

PATH = "/_stcore/upload_file/"
AT_ONCE = 4  # files that arrive at the same time, each kept twice for a moment; others wait their turn
LONGEST = 120.0  # seconds that one may take: 20 MB at 200 kB a second
KEPT = 8  # files of all visitors together: 160 MB


class Uploads:
    """ASGI middleware that lets few files in at a time, and forgets all but the latest.

    Args:
        app: what answers.
        at_once: files that arrive at the same time.
        longest: seconds that one may take.
        kept: files that are kept.
    """

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE, longest: float = LONGEST, kept: int = KEPT) -> None:
        self.app, self.at_once, self.longest, self.most = app, at_once, longest, kept
        self.seats: anyio.CapacityLimiter | None = None  # made in the event loop that it belongs to
        self.kept: OrderedDict[tuple[str, str], None] = OrderedDict()  # (session, file), the latest last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; an upload waits for its turn first, and is broken off with 408 if it takes too long."""
        if scope["type"] != "http" or scope["method"] != "PUT" or PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        self.seats = self.seats or anyio.CapacityLimiter(self.at_once)
        status = 0

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async with self.seats:
            with anyio.move_on_after(self.longest):
                await self.app(scope, receive, send_and_see)
        if not status:
            await PlainTextResponse("The file took too long to arrive.", status_code=408)(scope, receive, send)
        elif status < 300:
            session, _, file = scope["path"].rpartition(PATH)[2].partition("/")
            self.keep(session, file)

    def keep(self, session: str, file: str) -> None:
        """Note a file that has arrived, and have Streamlit forget those that are too many."""
        self.kept[session, file] = None
        self.kept.move_to_end((session, file))
        while len(self.kept) > self.most:
            files: Any = runtime.get_instance().uploaded_file_mgr
            files.remove_file(*self.kept.popitem(last=False)[0])

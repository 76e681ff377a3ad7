"""The order of computation on the live channel: of the waiting browsers, the one that will have computed least is next.

A visitor who draws needs little at a time, and goes before those who request much: a visitor's wait depends on how many
others compute, not on how much they request.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from attnviz.work.queue import Kind, Queue

CREDIT = 0.01
"""The maximum credit, in processor seconds, of a browser that has used less than the others and so goes first.

It is much less than two seconds of dragging cost (0.1): with that much, all who drag would go before one who draws.
"""

LEAST = 0.015
"""The processor seconds that a request counts at least.

A movement of a glimpse takes 0.003, one of the pen on the draw page 0.014. If the former counted as little as it takes,
those who drag would be answered at once, twenty times a second, and those who draw would share what is left.
"""


class Browser:
    """The state of a browser while it is connected: the processor seconds it has used, starting from the others' level
    when it connects.
    """

    def __init__(self, used: float = 0.0) -> None:
        self.used = used
        self.last = 0.0  # seconds used in its last turn; the next will need about as many
        self.one_long = anyio.Lock()  # held during long work

    def charge(self, seconds: float, *, begins: bool = False) -> None:
        """Add the seconds used in one turn, at least `LEAST` for the one that begins a request."""
        self.last = max(seconds, LEAST) if begins else seconds
        self.used += self.last


class Seats:
    """The turns of live answers in the queue that they share with pages, which come after them."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.clock = 0.0  # seconds that the browser served last had used by then

    @asynccontextmanager
    async def seat(self, browser: Browser) -> AsyncIterator[None]:
        """Hold a seat during the block; the browser that will have used least goes first, or the earliest of equals."""
        browser.used = max(browser.used, self.clock - CREDIT)  # time away does not save up more credit
        async with self.queue.turn_async(Kind.LIVE, lambda: browser.used + browser.last):
            self.clock = max(self.clock, browser.used)
            yield

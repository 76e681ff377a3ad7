"""Who computes next on the live channel: of those who wait, the browser that will then have computed least.

A drawing visitor needs little at a time, and goes before those who ask for much: a visitor's wait depends on how many
others compute, and not on how much they ask for.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from attnviz.work.queue import Kind, Queue

CREDIT = 0.01
"""Seconds of a processor that a browser may have used less than the others, and go before them.

Much less than two seconds of dragging cost (0.1): with as much, all who drag would go before somebody who draws.
"""


class Browser:
    """What is known of a browser while it is connected: the processor's seconds it has used, counted from where the
    others are when it comes.
    """

    def __init__(self, used: float = 0.0) -> None:
        self.used = used
        self.last = 0.0  # of these, those of its last turn: the next will need about as many
        self.one_long = anyio.Lock()  # held while it computes something that takes long

    def charge(self, seconds: float) -> None:
        """Count what it has used in one turn."""
        self.last = seconds
        self.used += seconds


class Seats:
    """The turns that live answers take of the queue in which pages compute too, after them."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.clock = 0.0  # what those had used who sat down last

    @asynccontextmanager
    async def seat(self, browser: Browser) -> AsyncIterator[None]:
        """Hold a seat during the block: the browser that will have used least goes first; of several, the earliest."""
        browser.used = max(browser.used, self.clock - CREDIT)  # who was away for long has not saved up more
        async with self.queue.turn_async(Kind.LIVE, lambda: browser.used + browser.last):
            self.clock = max(self.clock, browser.used)
            yield

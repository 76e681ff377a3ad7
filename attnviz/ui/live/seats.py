"""Who computes next on the live channel: of those who wait, the browser that will then have computed least.

Whoever draws needs little at a time, and so goes before those who ask for much: a visitor's wait depends on how many
others compute, and not on how much they ask for.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

CREDIT = 0.1  # seconds of a processor that a browser may have used less than the others, and go before them


class Browser:
    """What is known of a browser while it is connected.

    Args:
        used: seconds of a processor, counted from where the others are when it comes.
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
    """A few seats, and a line before them.

    Args:
        count: how many may sit at the same time.
    """

    def __init__(self, count: int) -> None:
        self.free = count
        self.clock = 0.0  # what those had used who sat down last
        self.line: list[tuple[Browser, anyio.Event]] = []

    @asynccontextmanager
    async def seat(self, browser: Browser) -> AsyncIterator[None]:
        """Sit for the length of the block."""
        browser.used = max(browser.used, self.clock - CREDIT)  # who was away for long has not saved up more
        if self.free:
            self.free -= 1
        else:
            await self._wait(browser)
        self.clock = max(self.clock, browser.used)
        try:
            yield
        finally:
            self._next()

    async def _wait(self, browser: Browser) -> None:
        place = browser, anyio.Event()
        self.line.append(place)
        try:
            await place[1].wait()
        except BaseException:  # the visitor has left
            if place in self.line:
                self.line.remove(place)
            else:
                self._next()
            raise

    def _next(self) -> None:
        """Hand a seat to whoever will have used least, and of these to whoever came first."""
        if not self.line:
            self.free += 1
            return
        place = min(self.line, key=lambda place: place[0].used + place[0].last)
        self.line.remove(place)
        place[1].set()

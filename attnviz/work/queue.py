"""The queue of all computations for visitors: each takes one of a few turns, in a thread or the event loop.

    with QUEUE.turn(Kind.SHORT, what="attention of a picture"):         # in the thread of a page's script
        ...
    async with QUEUE.turn_async(Kind.LIVE, rank=browser.needs):         # in the event loop
        await to_thread.run_sync(...)

Live answers go first, then short work, then long work. One turn is always reserved for live answers, since a page's
computation cannot be interrupted and a drawing hand cannot wait for it; and one for everything else, since while many
draw, a live answer is always waiting, and pages would never get a turn. Within a kind the lowest rank goes first. By
default it is the time of arrival plus the time that work of the same name took before, so that quick work overtakes
slow work, but only for a while. A turn covers everything computed inside it, which does not wait again.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from enum import IntEnum
from threading import Event, Lock

OVERTAKEN = 4.0
"""The maximum time that later work can overtake, as a multiple of the waiting work's own expected time."""

LISTEN = 0.2
"""Seconds between checks of whether a waiting thread should go on waiting."""

_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)


class Kind(IntEnum):
    """The urgency of work; lower numbers go first."""

    LIVE = 0
    SHORT = 1
    LONG = 2


class Place:
    """A place in the queue.

    Args:
        kind: the kind of the work.
        rank: returns the rank when a turn is free; the lowest of a kind goes first.
        wake: called, from any thread, when its turn has come.
    """

    def __init__(self, kind: Kind, rank: Callable[[], float], wake: Callable[[], None]) -> None:
        self.kind, self.rank, self.wake = kind, rank, wake


class Queue:
    """A number of turns, and a waiting line.

    Args:
        count: The number of turns.
        left: The number of turns that only live answers take, and of those that they never take.
        clock: Returns the time in seconds, for ranks and for the duration of work.
    """

    def __init__(self, count: int, left: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        if not 0 <= 2 * left <= count or count < 1:
            raise ValueError(f"of {count} turns, {left} cannot be left to live answers, and {left} to all else")
        self.count, self.left, self.clock = count, left, clock
        self._lock = Lock()
        self._line: list[Place] = []
        self._taken = dict.fromkeys(Kind, 0)
        self._takes: dict[str, float] = {}  # work name -> seconds
        self._no_live = Event()  # set while no live answer is being computed or waiting
        self._no_live.set()

    @contextmanager
    def turn(
        self,
        kind: Kind,
        *,
        what: str = "",
        check: Callable[[], None] | None = None,
        place: Callable[[Place | None], None] = lambda place: None,
    ) -> Iterator[None]:
        """Wait for a turn in a thread, and hold it for the block.

        Args:
            what: the name of the work, whose duration the queue learns; "" for none.
            check: called regularly while it waits, and once at the end; an exception gives up the place.
            place: called with the place while it waits, so that others can `hurry` it, and with None afterwards.

        Yields:
            None.
        """
        if self.has_turn():
            yield
            return
        come = Event()
        own = Place(kind, self._rank(what), come.set)
        if not self._take(own):
            place(own)
            try:
                wait(come, check)
            except BaseException:
                self.leave(own)
                raise
            finally:
                place(None)
        began = self.clock()
        try:
            with self.within():
                yield
        finally:
            self.leave(own)
            if what:
                took = self.clock() - began
                self._takes[what] = (self._takes.get(what, took) + took) / 2

    @asynccontextmanager
    async def turn_async(self, kind: Kind, rank: Callable[[], float] | None = None) -> AsyncIterator[None]:
        """Hold a turn for the block, in the event loop or in threads that it waits for. The lowest `rank` of a kind
        goes first, by default the first to arrive.
        """
        if self.has_turn():
            yield
            return
        own = await self.join(kind, rank)
        try:
            with self.within():
                yield
        finally:
            self.leave(own)

    async def join(self, kind: Kind, rank: Callable[[], float] | None = None) -> Place:
        """Wait for a turn in the event loop, and return its place, with which the caller must call `leave`."""
        loop, come = asyncio.get_running_loop(), asyncio.Event()
        own = Place(kind, rank or self._rank(), lambda: _in_loop(loop, come))
        if not self._take(own):
            try:
                await come.wait()
            except BaseException:  # such as when the visitor has left
                self.leave(own)
                raise
        return own

    def leave(self, place: Place) -> None:
        """Give up a turn, or a place in the queue."""
        with self._lock:
            if place in self._line:
                self._line.remove(place)
                self._note_live()
                return
            self._taken[place.kind] -= 1
            woken = self._next()
        _wake(woken)

    def hurry(self, place: Place, kind: Kind) -> None:
        """Change a waiting place to another kind, if that is more urgent."""
        with self._lock:
            if place not in self._line:
                return
            place.kind = min(place.kind, kind)
            woken = self._next()
        _wake(woken)

    def after_live(self, seconds: float) -> None:
        """Wait in a thread until no live answer is being computed, for at most `seconds`."""
        self._no_live.wait(seconds)

    @staticmethod
    def has_turn() -> bool:
        """Whether the caller holds a turn already."""
        return _has_turn.get()

    @staticmethod
    @contextmanager
    def within() -> Iterator[None]:
        """Treat computations of this thread in the block as part of another thread's turn."""
        token = _has_turn.set(True)
        try:
            yield
        finally:
            _has_turn.reset(token)

    def takes(self, what: str) -> float:
        """Return the recent duration of work of this name in seconds, or 0 if it is unknown."""
        return self._takes.get(what, 0.0)

    @property
    def waiting(self) -> int:
        """The number of waiting places."""
        return len(self._line)

    @property
    def computing(self) -> int:
        """The number of turns in use."""
        return sum(self._taken.values())

    def _rank(self, what: str = "") -> Callable[[], float]:
        rank = self.clock() + OVERTAKEN * self.takes(what)
        return lambda: rank

    def _take(self, place: Place) -> bool:
        """Join the queue, and return whether a turn was free at once."""
        with self._lock:
            self._line.append(place)
            woken = self._next()
        _wake([one for one in woken if one is not place])
        return place in woken

    def _note_live(self) -> None:
        live = self._taken[Kind.LIVE] or any(place.kind is Kind.LIVE for place in self._line)
        (self._no_live.clear if live else self._no_live.set)()

    def _next(self) -> list[Place]:
        """Give free turns to the next places, and return these."""
        woken = []
        for _ in range(self.count - self.computing):
            live, most = self._taken[Kind.LIVE], self.count - self.left
            kinds = [kind for kind in Kind if (live if kind is Kind.LIVE else self.computing - live) < most]
            able = [place for place in self._line if place.kind in kinds]
            if not able:
                break
            chosen = min(able, key=lambda place: (place.kind, place.rank()))
            self._line.remove(chosen)
            self._taken[chosen.kind] += 1
            woken.append(chosen)
        self._note_live()
        return woken


def wait(event: Event, check: Callable[[], None] | None = None) -> None:
    """Wait for an event in a thread; `check` is called regularly and at the end, and its exception ends the wait."""
    while not event.wait(LISTEN if check else None):
        if check:
            check()
    if check:
        check()


def _wake(places: list[Place]) -> None:
    for place in places:
        place.wake()


def _in_loop(loop: asyncio.AbstractEventLoop, come: asyncio.Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(come.set)


# At least two: one for live answers, and one for pages.
QUEUE = Queue(max(2, os.cpu_count() or 2))
"""The queue of this process."""

"""One queue for all that visitors wait for: a computation takes one of a few turns, in a thread or the event loop.

    with QUEUE.turn(Kind.SHORT, what="attention of a picture"):         # in the thread of a page's script
        ...
    async with QUEUE.turn_async(Kind.LIVE, rank=browser.needs):         # in the event loop
        await to_thread.run_sync(...)

Live answers go first, and one turn is always left for them: what a page computes is not interrupted, and a hand that
draws cannot wait for it. Then comes short work, then long work. Within a kind the lowest rank goes first: by default
the time of arrival, with as much added as work of the same name took before; so what is quick overtakes, and what is
slow is overtaken for a while only. Who has a turn keeps it for all that is computed inside: that does not wait again.
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
"""Work lets later work go first until it has waited for this multiple of the seconds that it will take itself."""

LISTEN = 0.2
"""Seconds between two checks of whether a waiting thread should go on waiting."""

_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)


class Kind(IntEnum):
    """How urgent work is: of several kinds, the lower number goes first."""

    LIVE = 0
    SHORT = 1
    LONG = 2


class Place:
    """A place in the line.

    Args:
        kind: of the work.
        rank: the lowest of a kind goes first; it is asked when a turn is free.
        wake: called, from any thread, when the turn has come.
    """

    def __init__(self, kind: Kind, rank: Callable[[], float], wake: Callable[[], None]) -> None:
        self.kind, self.rank, self.wake = kind, rank, wake


class Queue:
    """So many turns, of which some are left to live answers, and a line before them; the clock counts seconds, for
    ranks and for how long work takes.
    """

    def __init__(self, count: int, left: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        if not 0 <= left < count:
            raise ValueError(f"of {count} turns, {left} cannot be left to live answers")
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
        """Compute for the length of the block, in a thread; wait for it before.

        Args:
            what: the name of the work, by which the queue learns how long it takes; "" learns nothing.
            check: called now and then while it waits, and once at its end; what it raises gives the place up.
            place: told the place while it waits, so that somebody else can `hurry` it; and None afterwards.

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
        """Compute for the length of the block, in the event loop or in threads that it waits for; the lowest `rank` of
        a kind goes first, by default the one that came first.
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
        """Wait for a turn in the event loop, and return the place that has it, which must `leave`."""
        loop, come = asyncio.get_running_loop(), asyncio.Event()
        own = Place(kind, rank or self._rank(), lambda: _in_loop(loop, come))
        if not self._take(own):
            try:
                await come.wait()
            except BaseException:  # the visitor has left
                self.leave(own)
                raise
        return own

    def leave(self, place: Place) -> None:
        """Give up a turn, or a place in the line."""
        with self._lock:
            if place in self._line:
                self._line.remove(place)
                self._note_live()
                return
            self._taken[place.kind] -= 1
            woken = self._next()
        _wake(woken)

    def hurry(self, place: Place, kind: Kind) -> None:
        """Let a place in the line count as one of another kind, if that goes before its own."""
        with self._lock:
            if place not in self._line:
                return
            place.kind = min(place.kind, kind)
            woken = self._next()
        _wake(woken)

    def after_live(self, seconds: float) -> None:
        """Wait in a thread until no live answer is being computed, at most for so many seconds."""
        self._no_live.wait(seconds)

    @staticmethod
    def has_turn() -> bool:
        """Whether the caller holds a turn already."""
        return _has_turn.get()

    @staticmethod
    @contextmanager
    def within() -> Iterator[None]:
        """Count what is computed in the block, in this thread, as part of a turn that another one has."""
        token = _has_turn.set(True)
        try:
            yield
        finally:
            _has_turn.reset(token)

    def takes(self, what: str) -> float:
        """Return how many seconds work of a name took lately; 0 where nobody knows."""
        return self._takes.get(what, 0.0)

    @property
    def waiting(self) -> int:
        """How many are in the line."""
        return len(self._line)

    @property
    def computing(self) -> int:
        """How many have a turn."""
        return sum(self._taken.values())

    def _rank(self, what: str = "") -> Callable[[], float]:
        rank = self.clock() + OVERTAKEN * self.takes(what)
        return lambda: rank

    def _take(self, place: Place) -> bool:
        """Join the line, and say whether there was no need to."""
        with self._lock:
            self._line.append(place)
            woken = self._next()
        _wake([one for one in woken if one is not place])
        return place in woken

    def _note_live(self) -> None:
        live = self._taken[Kind.LIVE] or any(place.kind is Kind.LIVE for place in self._line)
        (self._no_live.clear if live else self._no_live.set)()

    def _next(self) -> list[Place]:
        """Give the turns that are free to those who are next, and return their places."""
        woken = []
        for _ in range(self.count - self.computing):
            others = self.computing - self._taken[Kind.LIVE]
            kinds = Kind if others < self.count - self.left else (Kind.LIVE,)
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
    """Wait for an event in a thread; what `check`, called now and then and once at the end, raises ends the wait."""
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


# At least two, so that one is left for live answers: a page then delays them no longer than another answer would.
QUEUE = Queue(max(2, os.cpu_count() or 2))
"""The queue of this process."""

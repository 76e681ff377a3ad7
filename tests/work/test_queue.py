"""Who computes next: live answers, then what is short, then what is long; and one turn is left to each side."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from attnviz.work.queue import OVERTAKEN, Kind, Place, Queue

from .watched import WAIT, Watched

LIVE, SHORT, LONG = Kind


class Work:
    """Work in a thread of its own: it begins when the queue lets it, and ends when it is told to."""

    def __init__(self, queue: Queue, order: list[str], name: str, kind: Kind, what: str = "") -> None:
        self.began, self.may_end, self.in_line = threading.Event(), threading.Event(), threading.Event()
        self.place: Place | None = None
        self.thread = threading.Thread(target=self._run, args=(queue, order, name, kind, what), daemon=True)
        self.thread.start()

    def _run(self, queue: Queue, order: list[str], name: str, kind: Kind, what: str) -> None:
        with queue.turn(kind, what=what, place=self._placed):
            order.append(name)
            self.began.set()
            assert self.may_end.wait(WAIT)

    def _placed(self, place: Place | None) -> None:
        self.place = self.place or place
        self.in_line.set()

    def waits(self) -> "Work":
        assert self.in_line.wait(WAIT)
        return self

    def begins(self) -> "Work":
        assert self.began.wait(WAIT)
        return self

    def end(self) -> None:
        self.may_end.set()
        self.thread.join(WAIT)
        assert not self.thread.is_alive()


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def full(queue: Queue, kind: Kind = LONG) -> Iterator[list[Work]]:
    """Take all turns that a kind may have until the end of the block."""
    order: list[str] = []
    free = queue.count - queue.left
    works = [Work(queue, order, "first", kind).begins() for _ in range(free)]
    yield works
    for work in works:
        work.end()


def finished(works: list[Work]) -> None:
    for work in works:
        work.begins()
        work.end()


def test_live_answers_come_first_then_what_is_short_then_what_is_long() -> None:
    queue, order = Queue(1, left=0), list[str]()
    with full(queue):
        kinds = (("long", LONG), ("short", SHORT), ("live", LIVE), ("long", LONG), ("live", LIVE))
        works = [Work(queue, order, name, kind).waits() for name, kind in kinds]
        for work in works:
            work.may_end.set()
    finished(works)
    assert order == ["live", "live", "short", "long", "long"]
    assert (queue.waiting, queue.computing) == (0, 0)


def test_one_turn_is_left_to_live_answers_however_much_pages_compute() -> None:
    queue, order = Queue(3), list[str]()
    with full(queue, SHORT) as pages:
        assert len(pages) == 2
        waits = Work(queue, order, "page", SHORT).waits()
        live = Work(queue, order, "live", LIVE).begins()
        assert order == ["live"]
        live.end()
        assert (queue.waiting, queue.computing) == (1, 2)
    waits.begins().end()


def test_one_turn_is_left_to_pages_however_many_draw() -> None:
    queue, order = Queue(3), list[str]()
    with full(queue, LIVE) as drawings:
        assert len(drawings) == 2
        waits = Work(queue, order, "live", LIVE).waits()
        for kind in (SHORT, LONG):
            Work(queue, order, "page", kind).begins().end()
        assert order == ["page", "page"]
        assert (queue.waiting, queue.computing) == (1, 2)
    waits.begins().end()


def test_what_took_long_lets_what_comes_later_go_first_but_not_for_ever() -> None:
    clock = Clock()
    queue, order = Queue(1, left=0, clock=clock), list[str]()
    for what, seconds in (("quick", 0.1), ("slow", 2.0)):
        with queue.turn(SHORT, what=what):
            clock.now += seconds
    assert (queue.takes("quick"), queue.takes("slow"), queue.takes("new")) == (pytest.approx(0.1), 2.0, 0.0)
    with full(queue):
        works = [Work(queue, order, "slow", SHORT, "slow").waits()]
        works.append(Work(queue, order, "quick", SHORT, "quick").waits())
        clock.now += OVERTAKEN * 2.0
        works.append(Work(queue, order, "late", SHORT, "quick").waits())
        for work in works:
            work.may_end.set()
    finished(works)
    assert order == ["quick", "slow", "late"]


def test_who_has_a_turn_does_not_wait_for_what_is_inside() -> None:
    queue = Queue(1, left=0)
    with queue.turn(SHORT), queue.turn(LONG), queue.turn(LIVE):
        assert queue.computing == 1
    assert queue.computing == 0


def test_whoever_gives_up_waiting_leaves_the_line() -> None:
    queue, asked = Queue(1, left=0), list[int]()

    class Left(Exception):
        pass

    def gone() -> None:
        asked.append(1)
        raise Left

    with full(queue):
        with pytest.raises(Left), queue.turn(SHORT, check=gone):
            raise AssertionError("it computes")
        assert queue.waiting == 0
    assert asked == [1]
    with queue.turn(SHORT):
        assert queue.computing == 1


def test_an_error_gives_the_turn_back() -> None:
    queue = Queue(1, left=0)
    with pytest.raises(ZeroDivisionError), queue.turn(SHORT, what="nothing"):
        _ = 1 / 0
    assert queue.computing == 0


def test_what_is_hurried_goes_before_what_came_earlier() -> None:
    queue, order = Queue(1, left=0), list[str]()
    with full(queue):
        works = [Work(queue, order, name, LONG).waits() for name in ("first", "hurried")]
        place = works[1].place
        assert place
        queue.hurry(place, LIVE)
        queue.hurry(place, SHORT)  # which changes nothing
        for work in works:
            work.may_end.set()
    finished(works)
    assert order == ["hurried", "first"]
    queue.hurry(place, SHORT)  # it is no longer there
    assert queue.computing == 0


def in_a_loop(queue: Queue, order: list[str], rank: Callable[[], float] | None = None) -> None:
    async def compute() -> None:
        async with queue.turn_async(LIVE, rank):
            order.append("loop")
            await asyncio.to_thread(lambda: order.append(f"thread {queue.has_turn()}"))

    asyncio.run(compute())


def test_threads_and_event_loops_stand_in_one_line() -> None:
    queue, order = Watched(1, left=0), list[str]()
    with full(queue):
        page = Work(queue, order, "page", SHORT).waits()
        loop = threading.Thread(target=in_a_loop, args=(queue, order), daemon=True)
        loop.start()
        queue.joined()  # the page
        queue.joined()
        page.may_end.set()
    loop.join(WAIT)
    page.end()
    assert order == ["loop", "thread True", "page"]


def test_a_visitor_who_leaves_while_in_line_leaves_the_line() -> None:
    queue = Queue(1, left=0)

    async def leave() -> None:
        async def stand() -> None:
            async with queue.turn_async(LIVE):
                raise AssertionError("it computes")

        async with queue.turn_async(LIVE):
            task = asyncio.create_task(outside(stand))
            while not queue.waiting:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert queue.waiting == 0
        assert queue.computing == 0

    async def outside(stand: Callable[[], object]) -> None:
        from attnviz.work import queue as module

        module._has_turn.set(False)  # another visitor's task
        await stand()  # type: ignore[misc]

    asyncio.run(leave())


def test_the_lowest_rank_of_a_kind_goes_first_as_it_is_when_the_turn_is_free() -> None:
    queue, order = Queue(1, left=0), list[str]()
    used = {"one": 0.0, "other": 1.0}

    async def visitors() -> None:
        async def stand(name: str) -> None:
            place = await queue.join(LIVE, lambda: used[name])
            order.append(name)
            queue.leave(place)

        held = await queue.join(LIVE)
        tasks = [asyncio.create_task(stand(name)) for name in used]
        while queue.waiting < 2:
            await asyncio.sleep(0)
        used["one"] = 2.0
        queue.leave(held)
        await asyncio.gather(*tasks)

    asyncio.run(visitors())
    assert order == ["other", "one"]


@pytest.mark.parametrize(("count", "left"), [(1, 1), (0, 0), (2, -1), (3, 2)])
def test_a_queue_has_a_turn_for_everybody(count: int, left: int) -> None:
    with pytest.raises(ValueError, match="cannot be left"):
        Queue(count, left)


def test_who_lets_live_answers_go_first_waits_until_none_is_computed_or_waits() -> None:
    queue = Queue(3)
    queue.after_live(WAIT)  # there is none
    lives = [Place(LIVE, lambda: 0.0, lambda: None) for _ in range(3)]
    assert [queue._take(place) for place in lives] == [True, True, False]
    after = threading.Event()
    thread = threading.Thread(target=lambda: (queue.after_live(WAIT), after.set()), daemon=True)
    thread.start()
    for place in lives:
        queue.after_live(0.01)
        assert not after.is_set()
        queue.leave(place)
    assert after.wait(WAIT / 2)
    place = Place(SHORT, lambda: 0.0, lambda: None)
    assert queue._take(place)
    queue.after_live(WAIT)  # what pages compute is no reason to wait
    queue.leave(place)

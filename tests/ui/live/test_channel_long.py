"""The live channel: what takes long keeps nobody else waiting."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from attnviz.ui.live import budget, channel
from attnviz.ui.live.request import Request
from attnviz.ui.shared.visitor import COOKIE
from attnviz.views.payload import pack

from .live_server import (
    LONG,
    NAME,
    TOO_LONG,
    WAIT,
    Planned,
    Server,
    Slow,
    last_words,
    last_words_of,
    planning,
    release,
    send_newer,
)


@pytest.fixture(autouse=True)
def one_turn_each(server: Server) -> None:
    """Let one answer that is quick and one that takes long be computed at a time."""
    server.channel.queue.count = 2


def test_what_is_quick_never_waits_for_what_takes_long(server: Server, slow: Slow) -> None:
    server.channel.plan = planning(
        lambda asked, place: (
            slow(asked, place) if asked.head.number >= LONG else pack({"number": asked.head.number}, {})
        )
    )
    with ExitStack() as stack:
        others = [stack.enter_context(server.visitor()) for _ in range(20)]
        for other in others:
            other.send(LONG, asks=[{"checkpoint": NAME}] * 32)
        slow.wait()  # and the model answers none of them yet
        light = stack.enter_context(server.visitor())
        for number in range(50):
            assert light.ask(number)[0] == {"number": number}
        assert len(slow.asked) == 1
        release(slow, 1000)


def test_many_asks_that_are_each_just_quick_enough_keep_nobody_waiting(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, few, others = 32, 8, 20
    spent, order, all_there = threading.local(), list[int](), threading.Event()
    monkeypatch.setattr(time, "thread_time", lambda: getattr(spent, "seconds", 0.0))

    def compute(asked: Request, place: int) -> bytes:
        assert all_there.wait(WAIT)
        spent.seconds = getattr(spent, "seconds", 0.0) + (0.05 if asked.head.number == 1 else 0.005)
        order.append(asked.head.number)
        done = place == len(asked.head.asks) - 1
        return pack({"number": asked.head.number, "ask": place, "done": done}, {})

    server.channel.plan = planning(compute, lambda asked: [budget.LIGHT_REQUEST / many] * len(asked.head.asks))
    with ExitStack() as stack:
        visitors = [stack.enter_context(server.visitor()) for _ in range(others + 1)]
        for number, visitor in enumerate(visitors):
            visitor.send(1 if number < others else 2, asks=[{"checkpoint": NAME}] * (many if number < others else few))
            assert "error" in visitor.ask("nonsense")[0]  # so it has been taken in
        all_there.set()
        assert last_words(visitors[-1], few) == [(2, place) for place in range(few)]
    first, last = order.index(2), len(order) - 1 - order[::-1].index(2)
    assert order[first:last].count(1) <= 3 * few  # not all of the others for each ask of one's own: that would be 140


def test_what_takes_long_lets_others_in_between_its_chunks(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    began, may, lined_up = threading.Semaphore(0), threading.Semaphore(0), threading.Semaphore(0)
    sit = channel._Visitor.sit

    async def noted(visitor: channel._Visitor) -> None:
        lined_up.release()
        await sit(visitor)

    monkeypatch.setattr(channel._Visitor, "sit", noted)
    order: list[int] = []

    def in_chunks(asked: Request, place: int) -> bytes:
        for _ in range(3):
            order.append(asked.head.number)
            began.release()
            assert may.acquire(timeout=WAIT)
            budget.pause()
        return pack({"number": asked.head.number, "ask": place}, {})

    server.channel.plan = planning(in_chunks)
    with server.visitor() as one, server.visitor() as other:
        one.send(LONG)
        assert began.acquire(timeout=WAIT)
        other.send(LONG + 1)
        assert lined_up.acquire(timeout=WAIT)
        assert lined_up.acquire(timeout=WAIT)
        may.release(6)
        assert last_words(one, 1) == [(LONG, 0)]
        assert last_words(other, 1) == [(LONG + 1, 0)]
    assert order == [LONG, LONG + 1] * 3


@pytest.mark.parametrize("leaves", [True, False])
def test_what_takes_long_ends_with_its_chunk_when_nobody_waits_for_it(server: Server, leaves: bool) -> None:
    began, may, dropped = threading.Semaphore(0), threading.Semaphore(0), threading.Semaphore(0)

    def in_chunks(asked: Request, place: int) -> bytes:
        if asked.head.number >= LONG:
            began.release()
            assert may.acquire(timeout=WAIT)
            try:
                budget.pause()
            except budget.Dropped:
                dropped.release()
                raise
        return pack({"number": asked.head.number, "ask": place}, {})

    server.channel.plan = planning(in_chunks)
    with server.visitor() as visitor:
        visitor.send(LONG)
        assert began.acquire(timeout=WAIT)
        if not leaves:
            send_newer(visitor)
            may.release()
            assert last_words(visitor, 2) == [(LONG, "stale"), (2, 0)]
    if leaves:
        may.release()
        assert server.left.acquire(timeout=WAIT)
    assert dropped.acquire(timeout=WAIT)
    assert server.channel.queue.computing == 0


def test_a_browser_has_one_ask_at_a_time_that_takes_long(server: Server, slow: Slow) -> None:
    server.channel.queue.count = 4  # three of them for what takes long
    cookie = {"additional_headers": {"Cookie": f"{COOKIE}=one"}}
    with server.visitor(**cookie) as first, server.visitor(**cookie) as second, server.visitor() as other:
        first.send(LONG)
        slow.wait()
        second.send(LONG + 1)
        assert "error" in second.ask("nonsense")[0]
        other.send(LONG + 2)
        slow.wait()
        assert slow.asked == [(LONG, 0), (LONG + 2, 0)]
        release(slow, 2)
        slow.wait()
        release(slow)
        assert last_words(second, 1) == [(LONG + 1, 0)]


def test_a_request_that_is_too_much_work_is_one_sentence(server: Server, slow: Slow) -> None:
    with server.visitor() as visitor:
        heard, _ = visitor.ask(TOO_LONG, asks=[{"checkpoint": NAME}] * 32)
        assert heard == {"number": TOO_LONG, "done": True, "error": "Two of its pictures would fit."}
        release(slow)
        assert last_words_of(visitor, 1) == [(1, 0)]
    assert slow.asked == [(1, 0)]


@pytest.mark.parametrize("work", [0.0, budget.LIGHT + 1])
def test_an_ask_may_have_several_answers_one_after_the_other(server: Server, work: float) -> None:
    may = threading.Semaphore(0)

    def answers() -> Iterator[bytes]:
        for step in range(3):
            if work:  # what takes long sends each answer before it computes the next but one
                assert step < 2 or may.acquire(timeout=WAIT)
            yield pack({"number": 1, "ask": 0, "step": step, "done": step == 2}, {})

    server.channel.plan = lambda asked: [Planned(work, answers)]
    with server.visitor() as visitor:
        visitor.send(1)
        assert visitor.hear()[0]["step"] == 0
        may.release()
        assert [visitor.hear()[0]["step"] for _ in range(2)] == [1, 2]
        server.channel.plan = planning(lambda asked, place: pack({"number": asked.head.number}, {}))
        assert visitor.ask(2)[0] == {"number": 2}
    assert server.channel.queue.computing == 0

"""The live channel: many visitors at once, and what they should not do."""

import logging
import runpy
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from starlette.routing import WebSocketRoute

from attnviz.errors import BadInput
from attnviz.ui.components.payload import pack
from attnviz.ui.live import budget, channel
from attnviz.ui.live.channel import COOKIE, Channel
from attnviz.ui.live.request import HEADER, MESSAGE, Request
from attnviz.ui.shared.wording import UNEXPECTED

from .live_server import NAME, WAIT, Server, Slow, Visitor, request, serving

SEATS = 2


LONG, TOO_LONG = 1_000_000, 2_000_000  # numbers of requests whose asks take long, or are too much work


def weigh(asked: Request) -> list[float]:
    """Return how much work the asks of a request are, by its number."""
    if asked.head.number >= TOO_LONG:
        raise BadInput("Two of its pictures would fit.")
    return [budget.LIGHT + (asked.head.number >= LONG)] * len(asked.head.asks)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def server(slow: Slow) -> Iterator[Server]:
    with serving(Channel(slow, weigh, SEATS, quick=0.0)) as running:
        yield running
        slow.may.release(1000)  # a test that failed half-way must not leave a model waiting


def release(slow: Slow, times: int = 1) -> None:
    slow.may.release(times)


def last_words(visitor: Visitor, count: int) -> list[tuple[Any, ...]]:
    """Return number, and ask or "stale", of the next messages."""
    heard = [visitor.hear()[0] for _ in range(count)]
    return [(one["number"], "stale" if one.get("stale") else one["ask"]) for one in heard]


# Stale


def send_newer(visitor: Visitor) -> None:
    """Send request 2, and return when the server has taken it in."""
    visitor.send(2)
    visitor.connection.send(b"nonsense")  # refused at once, and therefore after the request
    assert "error" in visitor.hear()[0]


def test_the_newest_wins_and_the_dropped_ones_hear_of_it(server: Server, slow: Slow) -> None:
    with server.visitor() as visitor:
        visitor.send(1)
        slow.wait()
        for number in (2, 3, 4):
            visitor.send(number)
        assert last_words(visitor, 2) == [(2, "stale"), (3, "stale")]
        release(slow, 2)
        assert last_words(visitor, 2) == [(1, 0), (4, 0)]
    assert slow.asked == [(1, 0), (4, 0)]


def test_the_rest_of_a_request_is_dropped_for_a_newer_one(server: Server, slow: Slow) -> None:
    with server.visitor() as visitor:
        visitor.send(1, asks=[{"checkpoint": NAME}] * 3)
        slow.wait()
        send_newer(visitor)
        release(slow, 2)
        assert last_words(visitor, 3) == [(1, 0), (1, "stale"), (2, 0)]
    assert slow.asked == [(1, 0), (2, 0)]


def test_quick_models_are_answered_in_a_row(server: Server, slow: Slow) -> None:
    server.channel.quick = WAIT
    with server.visitor() as visitor:
        visitor.send(1, asks=[{"checkpoint": NAME}] * 3)
        slow.wait()
        send_newer(visitor)
        release(slow, 4)
        assert last_words(visitor, 4) == [(1, 0), (1, 1), (1, 2), (2, 0)]


def test_what_waits_for_a_seat_is_replaced_too(server: Server, slow: Slow) -> None:
    with server.visitor() as first, server.visitor() as second, server.visitor() as third:
        for visitor in (first, second):
            visitor.send(1)
            slow.wait()
        for number in (1, 2, 3):
            third.send(number)
        assert last_words(third, 2) == [(1, "stale"), (2, "stale")]
        release(slow, 3)
        assert last_words(third, 1) == [(3, 0)]


# A slow model


def test_a_slow_model_keeps_nobody_else_waiting(server: Server, slow: Slow) -> None:
    quick = server.channel.answer
    server.channel.answer = lambda asked, place: (
        quick(asked, place) if asked.head.number == 1 else pack({"number": asked.head.number}, {})
    )
    with server.visitor() as patient, server.visitor() as visitor:
        patient.send(1)
        slow.wait()
        for number in range(2, 30):
            assert visitor.ask(number)[0] == {"number": number}
        release(slow)
        assert last_words(patient, 1) == [(1, 0)]


def test_while_all_seats_are_taken_the_server_listens_and_serves_pages(server: Server, slow: Slow) -> None:
    with server.visitor() as first, server.visitor() as second, server.visitor() as third:
        for visitor in (first, second):
            visitor.send(1)
            slow.wait()
        third.send(1)
        assert "error" in third.ask("nonsense")[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/alive", timeout=WAIT) as page:
            assert page.read() == b"yes"
        with server.visitor() as fourth:
            assert "error" in fourth.ask("nonsense")[0]
        assert slow.most == SEATS
        release(slow, 3)
        assert last_words(third, 1) == [(1, 0)]


# What takes long


def test_what_is_quick_never_waits_for_what_takes_long(server: Server, slow: Slow) -> None:
    computing = server.channel.answer
    server.channel.answer = lambda asked, place: (
        computing(asked, place) if asked.head.number >= LONG else pack({"number": asked.head.number}, {})
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

    server.channel.answer = compute
    server.channel.weigh = lambda asked: [budget.LIGHT_REQUEST / many] * len(asked.head.asks)
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

    server.channel.answer = in_chunks
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

    server.channel.answer = in_chunks
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
    assert server.channel.long_seats.borrowed_tokens == 0


def test_a_browser_has_one_ask_at_a_time_that_takes_long(server: Server, slow: Slow) -> None:
    server.channel.long_seats.total_tokens = 3
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


# A closed socket


def test_what_waits_is_dropped_when_its_socket_closes(server: Server, slow: Slow) -> None:
    with server.visitor() as first, server.visitor() as second:
        for visitor in (first, second):
            visitor.send(1)
            slow.wait()
        with server.visitor() as leaving:
            leaving.send(7)
            leaving.connection.send(b"nonsense")
            assert "error" in leaving.hear()[0]  # so 7 has been taken in
        assert server.left.acquire(timeout=WAIT)  # without anybody having got up
        release(slow, 2)
        for visitor in (first, second):
            assert last_words(visitor, 1) == [(1, 0)]
        release(slow)
        assert last_words_of(first, 2) == [(2, 0)]
    assert (7, 0) not in slow.asked


def last_words_of(visitor: Visitor, number: int) -> list[tuple[Any, ...]]:
    visitor.send(number)
    return last_words(visitor, 1)


def test_who_leaves_in_the_middle_gives_the_seat_back_when_it_is_free(
    server: Server, slow: Slow, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(SEATS):
        with server.visitor() as leaving:
            leaving.send(7, asks=[{"checkpoint": NAME}] * 3)
            slow.wait()
    with server.visitor() as visitor:
        assert "error" in visitor.ask("nonsense")[0]  # so the server has seen them go
    assert server.left.acquire(timeout=WAIT)
    assert server.channel.seats.free == 0  # nobody else computes meanwhile, however many come and go
    release(slow, SEATS)
    for _ in range(SEATS):
        assert server.left.acquire(timeout=WAIT)
    assert server.channel.seats.free == SEATS
    with server.visitor() as visitor:
        release(slow)
        assert last_words_of(visitor, 1) == [(1, 0)]
    assert slow.asked == [(7, 0)] * SEATS + [(1, 0)]
    assert not [line for line in caplog.records if line.levelno >= logging.WARNING]


def test_a_visitor_who_never_reads_takes_nobodys_seat(server: Server, slow: Slow) -> None:
    server.channel.answer = lambda asked, place: pack({"number": asked.head.number}, {"a": np.zeros(1 << 22)})
    with server.visitor(max_queue=1) as deaf, server.visitor() as visitor:
        for number in range(3):
            deaf.send(number)
        for number in range(3):
            assert visitor.ask(number)[0] == {"number": number}


# Two visitors, and forty


def test_forty_visitors_at_once(server: Server, slow: Slow) -> None:
    release(slow, 10_000)
    together = threading.Barrier(40)

    def visit(which: int) -> None:
        mine = np.full((28, 28, 1), which, np.uint8)
        with server.visitor() as visitor:
            together.wait(WAIT)
            for turn in range(5):
                header, arrays = visitor.ask(100 * which + turn, {"pictures": mine})
                assert header["number"] == 100 * which + turn
                np.testing.assert_array_equal(arrays["pictures"], mine[None])

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(visit, range(40)))
    assert slow.most <= SEATS
    assert len(slow.asked) == 200


# What is too large, and what is nonsense


@pytest.mark.parametrize(
    ("message", "number", "said"),
    [
        (request(5, {"pictures": np.zeros(MESSAGE, np.uint8)}), 5, "may have 1,048,576 bytes; this one has 1,04"),
        (bytes(MESSAGE + 1), None, "may have 1,048,576 bytes"),
        (request(5, words="x" * HEADER), None, "header of a request may have 65,536 bytes"),
        (request(5, {"pictures": np.zeros((65, 2, 2, 1), np.uint8)}), 5, "At most 64 pictures"),
        (request(5, {"pictures": np.zeros((600, 600, 1), np.uint8)}), 5, "together 262,144 numbers"),
        (request(5, {"pictures": np.zeros((28, 28, 1), np.float32)}), 5, r"must be uint8 .* it is float32"),
        (request(5, {"pictures": np.zeros((28, 28), np.uint8)}), 5, r"must be uint8 .* \(28, 28\)"),
        (request(5, {}), 5, 'either named "pictures" in its header or an array'),
        (request(5)[:-8], 5, "payload is truncated"),
        (request(5)[:50], None, "payload is truncated"),
        (b"", None, "payload is truncated"),
        ("", None, "payload is truncated"),
        ("some text", None, "payload"),
        (request(-5), None, "number must be at least 0"),
        (request("5"), None, "number must be a whole number"),
        (request(5, asks=[]), 5, "asks must have at least 1, not 0"),
        (request(5, asks=[{"checkpoint": NAME}] * 33), 5, "asks may have at most 32, not 33"),
        (request(5, more=1), 5, "more is not known here"),
        (request(5, asks=[{"checkpoint": "../x"}]), 5, "asks.0.checkpoint is not a name"),
    ],
)
def test_a_request_that_cannot_be_read_is_refused_in_a_sentence_and_the_next_one_answered(
    server: Server, slow: Slow, message: bytes | str, number: int | None, said: str
) -> None:
    release(slow)
    with server.visitor() as visitor:
        visitor.connection.send(message)
        header, arrays = visitor.hear()
        assert (header["number"], header["done"], arrays) == (number, True, {})
        with pytest.raises(BadInput, match=said):
            raise BadInput(header["error"])
        assert last_words_of(visitor, 6) == [(6, 0)]


@pytest.mark.parametrize(
    ("error", "said"), [(BadInput("Use 1 to 8."), "Use 1 to 8."), (RuntimeError("secret"), UNEXPECTED)]
)
def test_an_error_is_one_sentence_and_the_next_request_is_answered(
    server: Server, slow: Slow, error: Exception, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    release(slow, 2)

    def fail_at_first(asked: Request, place: int) -> bytes:
        if place == 0:
            raise error
        return slow(asked, place)

    server.channel.answer = fail_at_first
    with server.visitor() as visitor:
        for number in (5, 6):
            first, _ = visitor.ask(number, asks=[{"checkpoint": NAME}] * 2)
            assert first == {"number": number, "ask": 0, "done": False, "error": said}
            assert last_words(visitor, 1) == [(number, 1)]
    assert ("secret" in caplog.text) == (said == UNEXPECTED)


# In the app


@pytest.mark.parametrize(
    ("base", "path"), [("", "/live"), ("lab", "/lab/live"), ("/lab/attention/", "/lab/attention/live")]
)
def test_the_app_has_the_route_below_its_base(base: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(st, "App", lambda script, **settings: given.update(settings))
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.__getitem__)
    runpy.run_path("app.py")
    (route,) = given["routes"]
    assert isinstance(route, WebSocketRoute)
    assert route.path == path


def test_importing_it_loads_nothing_that_is_slow() -> None:
    code = "import attnviz.ui.live.channel, sys; assert not {'torch', 'torchvision', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])

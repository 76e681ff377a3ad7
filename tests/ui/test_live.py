"""The live channel: many visitors at once, and what they should not do."""

import logging
import runpy
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from starlette.datastructures import Headers
from starlette.routing import WebSocketRoute
from websockets.exceptions import InvalidStatus

from attnviz.errors import BadInput
from attnviz.ui import live
from attnviz.ui.live import Channel
from attnviz.ui.live_request import HEADER, MESSAGE, Request
from attnviz.ui.payload import pack
from attnviz.ui.security import UNEXPECTED

from .live_server import NAME, WAIT, Server, Slow, Visitor, request, serving

SEATS = 2


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def server(slow: Slow) -> Iterator[Server]:
    with serving(Channel(slow, SEATS, quick=0.0)) as running:
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
    assert server.channel.seats.borrowed_tokens == SEATS  # nobody else computes meanwhile, however many come and go
    release(slow, SEATS)
    for _ in range(SEATS):
        assert server.left.acquire(timeout=WAIT)
    assert server.channel.seats.borrowed_tokens == 0
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
        (request(5)[:-8], 5, "payload is cut"),
        (request(5)[:50], None, "payload is cut"),
        (b"", None, "payload is cut"),
        ("", None, "payload is cut"),
        ("some text", None, "payload"),
        (request(-5), None, "number: Input should be greater than or equal to 0"),
        (request("5"), None, "number: Input should be a valid integer"),
        (request(5, asks=[]), 5, "asks: List should have at least 1 item"),
        (request(5, asks=[{"checkpoint": NAME}] * 33), 5, "asks: List should have at most 32 items"),
        (request(5, more=1), 5, "more: Extra inputs are not permitted"),
        (request(5, asks=[{"checkpoint": "../x"}]), 5, "asks.0.checkpoint: String should match"),
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


# Where it comes from


@pytest.mark.parametrize(
    "origin",
    [None, "http://elsewhere.example", "http://127.0.0.1", "http://127.0.0.1:1", "null", "http://[", "file://"],
)
def test_a_foreign_or_absent_origin_is_refused(server: Server, slow: Slow, origin: str | None) -> None:
    with pytest.raises(InvalidStatus, match="403"), server.visitor(origin):
        pass
    assert not slow.asked


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8501", "localhost:8501", True),
        ("https://Attnviz.example", "attnviz.example", True),
        ("https://attnviz.example", "attnviz.example:8501", False),
        ("https://attnviz.example.evil", "attnviz.example", False),
        ("ftp://attnviz.example", "attnviz.example", False),
        ("http://", "", False),
    ],
)
def test_origin_and_host_must_agree(origin: str, host: str, same: bool) -> None:
    assert live.same_origin(Headers({"origin": origin, "host": host})) is same


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
    code = "import attnviz.ui.live, sys; assert not {'torch', 'torchvision', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])

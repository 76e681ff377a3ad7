"""The live channel: many visitors at once, and those who leave."""

import logging
import runpy
import subprocess
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from starlette.routing import WebSocketRoute

from attnviz.views.payload import pack

from .live_server import NAME, SEATS, WAIT, Server, Slow, last_words, last_words_of, planning, release, send_newer


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
    server.channel.plan = planning(
        lambda asked, place: slow(asked, place) if asked.head.number == 1 else pack({"number": asked.head.number}, {})
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
    assert server.channel.queue.computing == SEATS  # nobody else computes meanwhile, however many come and go
    release(slow, SEATS)
    for _ in range(SEATS):
        assert server.left.acquire(timeout=WAIT)
    assert server.channel.queue.computing == 0
    with server.visitor() as visitor:
        release(slow)
        assert last_words_of(visitor, 1) == [(1, 0)]
    assert slow.asked == [(7, 0)] * SEATS + [(1, 0)]
    assert not [line for line in caplog.records if line.levelno >= logging.WARNING]


def test_a_visitor_who_never_reads_takes_nobodys_seat(server: Server, slow: Slow) -> None:
    server.channel.plan = planning(lambda asked, _: pack({"number": asked.head.number}, {"a": np.zeros(1 << 22)}))
    with server.visitor(max_queue=1, close_timeout=0.1) as deaf, server.visitor() as visitor:
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


# In the app


@pytest.mark.parametrize(
    ("base", "path"), [("", "/live"), ("lab", "/lab/live"), ("/lab/attention/", "/lab/attention/live")]
)
def test_the_app_has_the_route_below_its_base(base: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(st, "App", lambda script, **settings: given.update(settings))
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.__getitem__)
    monkeypatch.setattr("attnviz.ui.server.preload.at_start", lambda: None)  # it would hold for the other tests, too
    runpy.run_path("app.py")
    (route,) = (one for one in given["routes"] if isinstance(one, WebSocketRoute))
    assert route.path == path


def test_importing_it_loads_nothing_that_is_slow() -> None:
    code = "import attnviz.ui.live.channel, sys; assert not {'torch', 'torchvision', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])

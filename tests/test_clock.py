"""A clock that is set back or forth by years changes nothing: files, jobs, locks, the queue, health, the log."""

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from attnviz import files
from attnviz.ui.server import health
from attnviz.ui.server.log import Few
from attnviz.work import processes
from attnviz.work.jobs import table
from attnviz.work.jobs.order import Order
from attnviz.work.kept import Kept
from attnviz.work.queue import Kind, Queue
from attnviz.work.shelf import JOBS
from tests.training import small

YEARS = 3e8  # seconds


@pytest.fixture(params=[-YEARS, YEARS], ids=["back", "forth"])
def set_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What sets the clock that programs ask for; what counts since the start of the machine goes on."""
    now, exact = time.time, time.time_ns

    def act() -> None:
        monkeypatch.setattr(time, "time", lambda: now() + request.param)
        monkeypatch.setattr(time, "time_ns", lambda: exact() + int(request.param * 1e9))

    return act


def test_what_was_written_anew_is_read_anew(tmp_path: Path, set_clock: Callable[[], None]) -> None:
    path = tmp_path / "file"
    files.write(path, "one")
    os.utime(path, ns=(10**18, 10**18))
    remembered = files.Remembered[str](100)
    assert remembered.get(path, (files.stamp(path),), path.read_text) == "one"
    set_clock()
    files.write(path, "two")
    os.utime(path, ns=(10**18, 10**18))  # by chance at the same moment, as the clock then says
    assert remembered.get(path, (files.stamp(path),), path.read_text) == "two"


def test_a_job_that_trains_goes_on_and_keeps_its_place(tmp_path: Path, set_clock: Callable[[], None]) -> None:
    with small.place(tmp_path):
        order = Order.model_validate({"model": "pixel_attention", "recipe": "small"})
        with table._alone():
            home = JOBS.write(order)
        (home / "process.json").write_text(processes.own().model_dump_json())
        assert table.state(order.id).word == "running"
        set_clock()
        assert table.state(order.id).word == "running"
        with table._alone():  # its lock can be had
            assert table._alive(order.id)
        assert table.start(order) == order.id and not table._queue()


def test_the_queue_and_what_it_computes_go_on(set_clock: Callable[[], None]) -> None:
    queue = Queue(2)
    kept = Kept(1000, queue)
    assert kept.get("a", lambda: 1) == 1
    set_clock()
    assert kept.get("a", lambda: 2) == 1 and kept.get("b", lambda: 3) == 3
    with queue.turn(Kind.LIVE):
        assert queue.has_turn()


def test_health_and_the_log_count_no_hours(monkeypatch: pytest.MonkeyPatch, set_clock: Callable[[], None]) -> None:
    answers = iter(["", "another"])
    monkeypatch.setattr(health, "_find_out", lambda: next(answers))
    monkeypatch.setattr(health, "_last", [])
    few = Few(most=1, seconds=3600.0)
    records = [logging.makeLogRecord({"levelno": logging.WARNING, "msg": "the same"}) for _ in range(2)]
    assert (health.wrong_now(), few.filter(records[0])) == ("", True)
    set_clock()
    assert (health.wrong_now(), few.filter(records[1])) == ("", False)

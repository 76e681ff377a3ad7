"""One thread for visitors, all of them for a training, and whoever starts the app decides otherwise."""

import os

import pytest
import torch

from attnviz.ui.shared import threads


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without a limit, and leave none: what is set here is taken back after the test."""
    for name in (threads.VARIABLE, threads._OURS):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_visitors_get_one_thread_and_a_training_does_not_inherit_that() -> None:
    threads.one_each()
    threads.one_each()
    assert os.environ[threads.VARIABLE] == "1"
    assert not {threads.VARIABLE, threads._OURS} & set(threads.environment())


def test_what_was_asked_for_at_the_start_holds_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(threads.VARIABLE, "3")
    threads.one_each()
    assert os.environ[threads.VARIABLE] == threads.environment()[threads.VARIABLE] == "3"


@pytest.mark.parametrize(("busy", "expected"), [(0.3, 4), (1.6, 2), (9.0, 1)])
def test_a_model_that_runs_alone_takes_the_cores_that_are_free(
    monkeypatch: pytest.MonkeyPatch, busy: float, expected: int
) -> None:
    given: list[int] = []
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (busy, 0.0, 0.0), raising=False)
    monkeypatch.setattr(torch, "set_num_threads", given.append)
    threads.free_ones()
    threads.one_each()
    threads.free_ones()
    assert given == [expected]

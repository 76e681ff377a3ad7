"""Which process is which, attnviz/work/processes.py."""

import os
import subprocess
import sys

import psutil
import pytest

from attnviz.work import processes


def _child() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def test_a_process_is_alive_until_it_ends_even_if_nobody_waits_for_it():
    assert processes.own().alive
    assert processes.own().process == os.getpid()
    child = _child()
    identity = processes.of(child.pid)
    assert identity is not None
    assert identity.alive
    assert identity != processes.own()
    assert processes.terminate(identity)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays a zombie
    assert psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE
    assert not identity.alive
    assert not processes.terminate(identity)
    child.communicate()
    assert not identity.alive
    assert processes.of(child.pid) is None


def test_a_number_that_belongs_to_another_process_or_boot_is_not_it_and_gets_no_signal():
    child = _child()
    identity = processes.of(child.pid)
    assert identity is not None
    for other in ({"started": identity.started - 1}, {"boot": "another"}):
        stranger = identity.model_copy(update=other)
        assert not stranger.alive
        assert not processes.terminate(stranger)
    assert child.poll() is None
    child.communicate(b"\n")


def test_a_clock_that_is_set_back_changes_nothing(monkeypatch):
    identity = processes.own()
    monkeypatch.setattr("time.time", lambda: 0.0)
    monkeypatch.setattr(psutil, "boot_time", lambda: 0.0)
    assert identity.alive
    assert processes.own() == identity


def test_a_process_that_is_started_while_others_are_forgotten_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended:
        def __init__(self, then: object = None) -> None:
            self.then = then

        def poll(self) -> int:
            if self.then is not None:
                processes.children.append(self.then)  # as another thread does, which starts a job meanwhile
            return 0

    new = object()
    monkeypatch.setattr(processes, "children", [Ended(), Ended(then=new)])
    processes.forget()
    assert processes.children == [new]

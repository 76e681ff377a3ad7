"""Background processes: they outlive whoever starts them, and have the lowest priority."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import attnviz
from attnviz.training import runs
from attnviz.work import processes

TELL = (
    "import json, os, attnviz; print(json.dumps({'session': os.getsid(0), 'own': os.getpid(), "
    "'nice': os.nice(0), 'attnviz': attnviz.__file__, 'input': os.read(0, 1).decode(), "
    "**{name: os.environ[name] for name in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'ATTNVIZ_RUNS')}}))"
)


@pytest.mark.skipif(os.name != "posix", reason="sessions and priorities are those of POSIX")
def test_a_process_has_a_session_the_lowest_priority_and_our_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTNVIZ_RUNS", "runs")  # relative to here, and not to where the process goes
    with (tmp_path / "log").open("wb") as log:
        child = processes.spawn([sys.executable, "-c", TELL], 3, log, tmp_path / "alive")
        assert child.wait(60) == 0
    told = json.loads((tmp_path / "log").read_text())
    assert told["session"] == told["own"] == child.pid
    assert told["nice"] == 19
    assert told["OMP_NUM_THREADS"] == told["MKL_NUM_THREADS"] == "3"
    assert told["ATTNVIZ_RUNS"] == str(tmp_path / "runs") == str(runs.folder().absolute())
    assert Path(told["attnviz"]) == Path(attnviz.__file__)
    assert told["input"] == ""


def test_a_command_that_does_not_exist_is_an_error_of_the_system(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log, pytest.raises(OSError, match="nothing-of-that-name"):
        processes.spawn(["nothing-of-that-name"], 1, log, tmp_path / "alive")


def test_those_that_have_ended_are_forgotten_and_no_zombie_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has reaped it
    monkeypatch.setattr(processes, "children", [waiting, ended])
    processes.forget()
    assert processes.children == [waiting]
    assert ended.returncode == 0
    waiting.communicate(b"\n")
    processes.forget()
    assert processes.children == []


def test_a_process_that_has_ended_already_is_no_error() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    processes.lowest(child.pid)

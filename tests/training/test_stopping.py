"""A training that is asked to end, attnviz/training/stopping.py."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnviz import __main__
from attnviz.training import stopping
from attnviz.training.run import Run
from tests.training import small

# At a batch of its third epoch a process says so, and goes on when it is told to: nothing here depends on speed.
PROGRAM = """
import sys
from pathlib import Path
from attnviz import __main__
from attnviz.training.progress import Step
from attnviz.training.progress import Progress
from tests.training import small

folder, told = Path(sys.argv[1]), []
report = Progress.report

def waiting(self, seed, event):
    report(self, seed, event)
    if isinstance(event, Step) and self._saved == 2 and not told:
        told.append(event)
        print("here", flush=True)
        sys.stdin.readline()

Progress.report = waiting
with small.place(folder):
    sys.exit(__main__.main(sys.argv[2:]))
"""


WORDS = ["train", "pixel_attention", "--recipe", "small", "--run-only", "--threads", "1"]


def _start(folder: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), *WORDS], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def _digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("runs/*/weights-*")}


def test_sigterm_ends_a_training_after_the_batch_and_the_same_command_gives_the_same_weights(tmp_path, capsys):
    undisturbed, stopped = tmp_path / "undisturbed", tmp_path / "stopped"
    process = _start(stopped)
    assert process.stdout is not None and process.stdout.readline() == "here\n", process.communicate()
    process.send_signal(signal.SIGTERM)
    told = process.communicate()[1]
    assert process.returncode == 143
    assert told.splitlines()[-1] == "Stopped. The same command resumes seed 0 after epoch 2."
    assert len(_digests(stopped)) == 2
    for folder in (stopped, undisturbed):
        with small.place(folder):
            assert __main__.main(WORDS) == 0
        assert ("resumes after 2 epochs" in capsys.readouterr().err) is (folder == stopped)
    assert _digests(stopped) == _digests(undisturbed)
    assert len(_digests(stopped)) == 4


def test_outside_of_a_loop_it_ends_at_once():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(stopping.Terminated), stopping.terminable():
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("it went on")
    assert signal.getsignal(signal.SIGTERM) == before


def test_when_its_minutes_are_over_it_ends_after_the_event_and_lets_the_run_go(tmp_path):
    chosen = small.recipe("pixel_line")
    run = Run(small.run_file(chosen), tmp_path)
    seen = []
    with pytest.raises(stopping.Terminated, match="minutes that it was given are over"):
        for event in stopping.heeding(run.train(small.training(chosen)), stopping.Until(time.monotonic() - 1)):
            seen.append(event)
    assert len(seen) == 1
    assert list(run.train(small.training(chosen)))  # nobody holds its lock


def test_a_training_that_nobody_ends_gives_all_events():
    assert list(stopping.heeding([1, 2, 3], stopping.Until(time.monotonic() + 1000))) == [1, 2, 3]


def test_after_so_many_epochs_it_ends_and_goes_on_where_it_was(tmp_path):
    chosen = small.recipe("pixel_line")
    run = Run(small.run_file(chosen), tmp_path)
    for done in (2, 3):
        with pytest.raises(stopping.Terminated, match="epochs that it was given are done"):
            list(stopping.heeding(run.train(small.training(chosen)), stopping.Until(epochs=2 if done == 2 else 1)))
        assert len(run.curve()) == done

"""The command line when it is interrupted, and when its output cannot be written: attnviz/__main__.py."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attnviz import __main__ as command
from attnviz import cards, results
from attnviz.errors import CheckpointError
from attnviz.work.jobs import table
from tests.training import small

ROOT = Path(__file__).parents[1]
MOMENTS = int(os.environ.get("INTERRUPTIONS", "5"))  # of the slow test, which takes three seconds or more for each
TRAIN = [
    "train", "pixel_line", "--recipe", "1v8", "--run-only", "--set", "data=strokes", "--set", "epochs=12",
    "--threads", "1", "--device", "cpu",
]  # fmt: skip
APP = ["app", "--no-browser", "--port", "8600"]

# Before anything else, a program that presses Ctrl-C when the first import of a module begins, or at an audit event.
_AT_IMPORT = """
import os, runpy, signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
sys.addaudithook(lambda event, _: event == {module!r} and os.kill(os.getpid(), signal.SIGINT))
sys.argv = ["attnviz", *{words!r}]
runpy.run_module("attnviz", run_name="__main__", alter_sys=True)
"""


def _can_be_interrupted() -> None:
    """Heed Ctrl-C in a program, also where the tests were started in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "ATTNVIZ_RUNS": str(folder / "runs"), "OMP_NUM_THREADS": "1"}


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("attnviz.command_line", ["models"]), ("pydantic", ["checkpoints"]),
        ("torch._C", TRAIN), ("torch.nn", TRAIN),
        ("streamlit.web.bootstrap", APP), ("socket.bind", APP),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)  # fmt: skip
def test_interrupted_while_it_imports_it_says_so_in_one_line_and_ends_with_130(tmp_path, module, words):
    program = [sys.executable, "-c", _AT_IMPORT.format(module=module, words=words)]
    done = subprocess.run(
        program, capture_output=True, text=True, check=False, cwd=ROOT, env=_environment(tmp_path),
        preexec_fn=_can_be_interrupted,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


def test_who_started_it_so_that_nobody_can_interrupt_it_is_heeded(tmp_path):
    program = [sys.executable, "-c", _AT_IMPORT.format(module="numpy", words=["checkpoints"])]
    environment = {**_environment(tmp_path), "ATTNVIZ_CHECKPOINTS": str(tmp_path), "ATTNVIZ_KEPT": str(tmp_path)}
    done = subprocess.run(
        program, capture_output=True, text=True, check=False, cwd=ROOT, env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN) and None,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("There are no checkpoints in ")


def test_interrupted_while_something_is_destroyed_it_ends_too(tmp_path):
    code = (
        "from attnviz import __main__ as command\n"
        "class Last:\n"
        "    def __del__(self): raise KeyboardInterrupt\n"
        "def main():\n"
        "    one = Last(); del one\n"
        "    print('it went on')\n"
        "command.main = main\n"
        "command.program()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


@pytest.mark.slow
def test_interrupted_at_random_moments_it_ends_with_130_in_one_line_and_nothing_is_damaged(tmp_path):
    chance, program = random.Random(58), [sys.executable, "-m", "attnviz", *TRAIN]
    for number in range(MOMENTS):
        process = subprocess.Popen(
            program, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=_environment(tmp_path),
            preexec_fn=_can_be_interrupted,  # noqa: PLW1509 (no thread of the tests runs meanwhile)
        )  # fmt: skip
        try:
            process.wait(chance.uniform(0.6, 6.0))  # before that Python itself starts, which says so in its own words
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        told = process.communicate()[1]
        assert process.returncode in (0, 130), f"{number}: {told}"
        assert "Traceback" not in told and "Error" not in told, f"{number}: {told}"
        assert told.count("Stopped") == (process.returncode == 130), f"{number}: {told}"
    results = []
    for folder in (tmp_path, tmp_path / "undisturbed"):
        subprocess.run(program, check=True, capture_output=True, cwd=ROOT, env=_environment(folder))
        (run,) = (folder / "runs").iterdir()
        results.append({path.name: path.read_bytes() for path in (run / "curve.jsonl", *run.glob("weights-*"))})
    assert results[0] == results[1]


def _shell(line: str) -> "subprocess.CompletedProcess[str]":
    program = f"{sys.executable} -m attnviz"
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("attnviz", program, 1)], capture_output=True, text=True, check=False, cwd=ROOT
    )


FULL = "The output cannot be written: no space left on device.\n"


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("attnviz models >/dev/full", 2, FULL),
        ("attnviz --version >/dev/full", 2, FULL),
        ("attnviz models >/dev/full 2>/dev/full", 2, ""),
        ("attnviz train pixel_atention --recipe one 2>/dev/full", 2, ""),
        ("attnviz models <&- >&- 2>&-", 0, ""),
        ("attnviz modles >&- 2>&-", 2, ""),
    ],
)
def test_an_output_that_cannot_be_written_is_no_traceback(line, status, told):
    done = _shell(line)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", told)


def test_what_an_encoding_does_not_have_is_written_all_the_same():
    done = _shell("PYTHONIOENCODING=ascii attnviz results")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == results.everything().encode("ascii", "backslashreplace").decode() != results.everything()


@pytest.mark.parametrize(
    "words",
    [
        ["train", "pixel_attention", "--recipe", "small", "--threads", "99999999999"],
        ["cost", "pixel_attention", "--recipe", "small", "--threads", "257"],
        ["jobs", "start", "pixel_attention", "--recipe", "small", "--threads", "99999999999"],
        ["search", "pixel_attention", "--recipe", "small", "--threads", "99999999999"],
        ["search", "pixel_attention", "--recipe", "small", "--workers", "99999999999"],
        ["search", "pixel_attention", "--recipe", "small", "--trials", "99999999999"],
        ["train", "pixel_attention", "--recipe", "small", "--run-only", "--minutes", "nan"],
        ["jobs", "keep", "pixel_attention.small.0", "99999999999", "word"],
        ["app", "--lessons", "nowhere"],
        ["app", "--weights", "nowhere.safetensors"],
        ["app", "--timm", "test_vit", "--weights", "nowhere.safetensors"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_cannot_be_is_answered_with_one_sentence_alone(tmp_path, capsys, monkeypatch, words):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "environ", {**os.environ})  # the app sets what it is told
    with small.place(tmp_path):
        assert command.main(words) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)


def test_with_one_damaged_card_all_other_checkpoints_are_listed(tmp_path, capsys):
    with small.place(tmp_path):
        for name in ("pixel_attention.one", "pixel_attention.small", "pixel_attention.two"):
            small.lay(tmp_path / "checkpoints", *small.checkpoint()[1:], name)
        (tmp_path / "checkpoints" / "pixel_attention.one" / "card.json").write_text("{")
        assert command.main(["checkpoints"]) == 0
        with pytest.raises(CheckpointError) as damaged:
            cards.read("pixel_attention.one")
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"{'pixel_attention.one':24} {damaged.value}"
    assert [line.split()[0] for line in others] == ["pixel_attention.small", "pixel_attention.two"]
    assert all("793 parameters" in line for line in others)


def test_with_one_job_that_cannot_be_read_all_others_are_listed(tmp_path, capsys, monkeypatch):
    before = table.state

    def state(job: str) -> table.State:
        if job == "b":
            raise CheckpointError("It cannot be read.")
        return table.State("finished", "It is finished.") if job in "ac" else before(job)

    with small.place(tmp_path):
        monkeypatch.setattr(table, "ids", lambda: ["a", "b", "c"])
        monkeypatch.setattr(table, "tend", lambda: None)
        monkeypatch.setattr(table, "state", state)
        assert command.main(["jobs", "list"]) == 0
    told = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert told == [["a", "It is finished."], ["b", "It cannot be read."], ["c", "It is finished."]]

"""What goes wrong while a training goes on: state and page say what is true, and the last good weights are there."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz.training import runs, seeds
from attnviz.ui.shared.wording import verbatim
from attnviz.work import processes
from attnviz.work.jobs import seen, table
from attnviz.work.jobs.order import Order
from tests.training import small
from tests.work.forked import forked

PAGE = Path(__file__).parents[3] / "pages" / "80_train.py"
EPOCHS = 4
WORDS = Order.words
PROGRAM = """
import sys
from pathlib import Path
from attnviz import __main__, files
from attnviz.training.loop import Training
from tests.training import small

def at(epoch, action):
    '''Do something in the training's epoch of that number.'''
    trained = Training._train_epoch
    def patched(self, values):
        found = yield from trained(self, values)
        if self.epoch == epoch - 1:
            action(self, values)
        return found
    Training._train_epoch = patched

def full(*_):
    raise OSError(28, "No space left on device")

def fill(*_):
    files.write = full

def out_of_memory(*_):
    raise MemoryError

def not_allocated(*_):
    raise RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: 1e12 bytes")

def nan(training, values):
    values["train_loss"] = values["validation_loss"] = float("nan")
    measure = training.objective.measure
    from attnviz.training.objectives import Measured
    training.objective.measure = lambda *given: {**measure(*given), "loss": Measured(float("nan"))}

def another(*_):
    raise RuntimeError("a defect")

def killed(*_):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)

def clock_back(*_):
    import time
    time.time = lambda: 0.0
    time.time_ns = lambda: 0

WRONG = sys.argv[2]
if WRONG != "nothing":
    at(3, globals()[WRONG])
with small.place(Path(sys.argv[1]), small.recipe(epochs=4, patience=4)):
    sys.exit(__main__.main(sys.argv[3:]))
"""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    with small.place(tmp_path, small.recipe(epochs=EPOCHS, patience=EPOCHS)), forked():
        yield tmp_path
        for job in table.ids():
            for identity in table._witnesses(job):
                processes.terminate(identity)
        for child in processes.children:
            child.wait()
        processes.children.clear()


def start(here: Path, wrong: str, monkeypatch: pytest.MonkeyPatch, **more: object) -> str:
    """Train, with something that goes wrong in the third epoch, until the process has ended."""
    order = Order.model_validate({"model": "pixel_attention", "recipe": "small", **more})
    words = WORDS(order)[3:]
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", PROGRAM, str(here), wrong, *words])
    job = table.start(order)
    for child in processes.children:
        child.wait()
    return job


def good(job: str, epochs: int) -> dict[str, torch.Tensor]:
    """Return the last weights, which can be loaded; so can those of all epochs before."""
    (run,) = table.runs_of(job)
    assert len(runs.curve(run)) - epochs in (0, 1)  # a line that is written before the weights is cut by resuming
    assert runs.epochs(run) == list(range(1, epochs + 1))
    for epoch in range(1, epochs + 1):
        runs.load(run, epoch)
    return runs.weights(run, epochs)


def screen() -> tuple[str, list[str]]:
    """Return what the page on which models are trained says, and its buttons."""
    seen.again()
    page = AppTest.from_file(str(PAGE), default_timeout=120).run()
    assert not page.exception
    said = [one.value for one in (*page.header, *page.caption, *page.markdown)]
    return " ".join(said).replace("\\", ""), [button.label for button in page.button]


def assert_resumes_on_screen(sentence: str) -> None:
    """Assert that the page says a sentence, shows what was learnt before, and offers to go on."""
    said, buttons = screen()
    assert verbatim(sentence).replace("\\", "") in said
    assert "What it has learnt" in said and 'aria-label="loss by epoch' in said
    assert {"Resume", "One more epoch", "Delete"} <= set(buttons) and "Pause" not in buttons


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, torch.Tensor]:
    """Return the last weights of the same training, to which nothing happens."""
    chosen = small.recipe(epochs=EPOCHS, patience=EPOCHS)
    with small.place(tmp_path_factory.mktemp("undisturbed"), chosen):
        seeds.train_runs(chosen, [0], device="cpu", threads=1, report=small.silent, command="")
        (run,) = runs.ids()
        return runs.weights(run, EPOCHS)


WRONG = {
    "fill": ("failed", "cannot be written: no space left on device"),
    "nan": ("failed", "the training has diverged"),
    "out_of_memory": ("failed", "memory here is not enough"),
    "not_allocated": ("failed", "memory here is not enough"),
    "killed": ("interrupted", "it was killed, or memory or disk ran out"),
    "another": ("failed", "a defect"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_whatever_goes_wrong_is_said_and_the_epochs_before_are_there_and_it_resumes(
    here, wrong, undisturbed, monkeypatch
):
    job = start(here, wrong, monkeypatch)
    word, said = WRONG[wrong]
    state = table.state(job)
    assert state.word == word
    assert said in state.sentence
    assert "Traceback" not in state.sentence and "\n" not in state.sentence
    good(job, 2)
    assert_resumes_on_screen(state.sentence)
    assert start(here, "nothing", monkeypatch) == job
    assert table.state(job).word == "finished"
    found = good(job, EPOCHS)
    assert all(torch.equal(tensor, undisturbed[name]) for name, tensor in found.items())
    assert f"Finished after {EPOCHS} epochs." in screen()[0]


def test_a_device_that_is_not_there_is_said(here, monkeypatch):
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device here")
    job = start(here, "nothing", monkeypatch, device="cuda")
    assert table.state(job) == table.State("failed", "There is no CUDA device here. Use cpu, or auto.")
    assert "There is no CUDA device here. Use cpu, or auto." in screen()[0]


def test_data_that_cannot_be_read_are_said(here, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(here))
    (here / "mnist").mkdir()
    for split in ("train", "test"):
        for part in ("images", "labels"):
            (here / "mnist" / f"{split}-{part}.npy").write_bytes(b"nothing")
    job = start(here, "nothing", monkeypatch, changes={"data": "mnist"})
    state = table.state(job)
    assert state.word == "failed"
    assert "is damaged" in state.sentence
    assert verbatim(state.sentence).replace("\\", "") in screen()[0]


def test_another_boot_is_said_and_the_epochs_before_are_there(here, monkeypatch):
    job = start(here, "killed", monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(processes, "boot", lambda: "another")
        assert table.state(job).sentence == "The machine was restarted during the training. It can be resumed."
        good(job, 2)
        assert_resumes_on_screen(table.state(job).sentence)
        assert start(here, "nothing", monkeypatch) == job
    good(job, EPOCHS)


def test_a_clock_that_is_set_back_changes_nothing(here, undisturbed, monkeypatch):
    job = start(here, "clock_back", monkeypatch)
    assert table.state(job).word == "finished"
    monkeypatch.setattr("time.time", lambda: 0.0)
    monkeypatch.setattr("time.time_ns", lambda: 0)
    found = good(job, EPOCHS)
    assert all(torch.equal(tensor, undisturbed[name]) for name, tensor in found.items())
    seen.again()
    (one,) = [one for one in seen.look() if one.job == job]
    assert one.state.word == "finished"
    assert f"Finished after {EPOCHS} epochs." in screen()[0]


APP = """
import os, signal, sys
from pathlib import Path
from attnviz.work.jobs import table
from attnviz.work.jobs.order import Order
from tests.training import small
with small.place(Path(sys.argv[1]), small.recipe(epochs=4, patience=4)):
    Order.words = lambda one: sys.argv[2:]
    print(table.start(Order(model="pixel_attention", recipe="small")), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_app_is_killed_and_the_training_goes_on_and_is_found_again(here):
    order = Order(model="pixel_attention", recipe="small")
    words = [sys.executable, "-c", PROGRAM, str(here), "nothing", *order.words()[3:]]
    app = subprocess.run(
        [sys.executable, "-c", APP, str(here), *words], capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert app.returncode == -signal.SIGKILL, app.stderr
    job = app.stdout.decode().strip()
    assert job in table.ids()
    for identity in table._witnesses(job):
        with suppress(psutil.NoSuchProcess):  # it may have ended already
            psutil.Process(identity.process).wait(120)
    assert table.state(job).word == "finished"
    good(job, EPOCHS)

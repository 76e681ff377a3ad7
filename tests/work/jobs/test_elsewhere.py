"""Jobs and searches whose processes live in another container over the same folder of runs: they are seen by locks."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attnviz.errors import BadInput
from attnviz.recipes.axes import read as axes
from attnviz.training import runs
from attnviz.training.run import Run
from attnviz.work import processes
from attnviz.work.jobs import table
from attnviz.work.jobs.order import Order
from attnviz.work.search import table as searches
from attnviz.work.search.wanted import Wanted
from attnviz.work.shelf import JOBS
from tests.training import small

HOLD = "import fcntl, sys; file = open(sys.argv[1], 'ab'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()"
UNSEEN = processes.Identity(process=2**22 + 1, started=1.0, boot=processes.boot())  # no system has that many


@pytest.fixture
def elsewhere() -> Iterator[Callable[[Path], None]]:
    """What lets a process that nobody here can name hold a lock."""
    started: list[subprocess.Popen[str]] = []

    def hold(path: Path) -> None:
        program = [sys.executable, "-c", HOLD, str(path)]
        started.append(subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout
        assert started[-1].stdout.readline() == "\n"

    yield hold
    for process in started:
        process.communicate("\n")


@pytest.fixture
def job(tmp_path) -> Iterator[str]:
    """A job whose process has been started, but not here."""
    with small.place(tmp_path):
        order = Order.model_validate({"model": "pixel_attention", "recipe": "small"})
        with table._alone():
            home = JOBS.write(order)
        (home / "process.json").write_text(UNSEEN.model_dump_json())
        (home / "alive").touch()
        yield order.id


def test_a_job_whose_process_is_elsewhere_is_training_and_is_neither_started_again_nor_deleted(job, elsewhere):
    assert table.state(job).word == "interrupted"
    elsewhere(table.folder() / job / "alive")
    assert table.state(job) == table.State("running", "It is training.")
    assert table.start(table.read(job)) == job
    assert not processes.children and not table._queue()
    with pytest.raises(BadInput, match="This training is running or waiting. Stop it first"):
        table.delete(job)
    with pytest.raises(BadInput, match="runs in another container or on another machine. Stop it there"):
        table.stop(job)
    assert not (table.folder() / job / "stopped").exists()


def test_a_job_whose_run_somebody_trains_elsewhere_is_training(job, elsewhere):
    info = small.run_file(small.recipe(), data_digest=table.read(job).made().data)
    run = Run(info)
    (run.folder / "status.json").write_text('{"state": "running", "epoch": 1}')
    assert table.runs_of(job) == [run.folder.name]
    assert table.state(job).word == "interrupted"
    elsewhere(run.folder / "lock")
    assert table.state(job).word == "running"
    with pytest.raises(BadInput, match="Stop it first"):
        table.delete(job)
    assert runs.ids() == [run.folder.name]


def test_a_search_with_a_worker_elsewhere_runs(tmp_path, elsewhere):
    with small.place(tmp_path):
        wanted = Wanted(model="pixel_attention", recipe="small", axes=axes(["heads=1,2"]), trials=2)
        search = searches.prepare(wanted)
        place = searches.home(search) / "workers"
        (place / "7-abc.json").write_text(UNSEEN.model_dump_json())
        (place / "7-abc.lock").touch()
        assert searches.state(search).word != "running"
        elsewhere(place / "7-abc.lock")
        assert searches.state(search).word == "running"
        for act, sentence in [(searches.delete, "Stop it first"), (searches.stop, "Stop it there")]:
            with pytest.raises(BadInput, match=sentence):
                act(search)
        other = wanted.model_copy(update={"seed": 1})
        with pytest.raises(BadInput, match="Another search is running"):
            searches.start(other)


def test_a_process_holds_its_lock_as_long_as_it_lives_and_no_longer_than_that(tmp_path):
    alive = tmp_path / "alive"
    assert not processes.is_locked(alive)
    with (tmp_path / "log").open("wb") as log:
        child = processes.spawn([sys.executable, "-c", "import signal; signal.pause()"], 1, log, alive)
        assert processes.is_locked(alive)
        with pytest.raises(BlockingIOError, match="another process is doing this already"):
            processes.spawn([sys.executable, "-c", ""], 1, log, alive)
    child.kill()
    child.wait()
    assert not processes.is_locked(alive)


@pytest.mark.slow
@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-p", "-f", "true"], check=False).returncode != 0,
    reason="a PID namespace of its own needs unshare and the right to use it",
)
def test_two_containers_over_one_folder_of_runs_see_each_other(tmp_path):
    """In the first the training runs; the second is this process."""
    words = (
        "import sys; from tests.training import small; from attnviz.work.jobs import table; "
        "from attnviz.work.jobs.order import Order; from pathlib import Path\n"
        "Order.words = lambda one: [sys.executable, '-c', 'import signal; signal.pause()']\n"
        "with small.place(Path(sys.argv[1])):\n"
        "    print(table.start(Order(model='pixel_attention', recipe='small')), flush=True); sys.stdin.read()\n"
    )
    program = ["unshare", "-p", "-f", "--mount-proc", "--kill-child", sys.executable, "-c", words, str(tmp_path)]
    first = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert first.stdout and first.stdin
    job = first.stdout.readline().strip()
    with small.place(tmp_path):
        assert table.state(job).word == "running"
        with pytest.raises(BadInput, match="Stop it there"):
            table.stop(job)
        with pytest.raises(BadInput, match="Stop it first"):
            table.delete(job)
        first.communicate()  # the container ends, and all that runs in it
        assert table.state(job).word == "interrupted"
        table.delete(job)

"""Jobs, attnviz/work/jobs/table.py."""

import os
import select
import signal
import sys
import threading
from pathlib import Path

import pytest

from attnviz import __main__
from attnviz.errors import AttnvizError, BadInput, RunError, UnknownName
from attnviz.training import runs
from attnviz.work import processes, shelf
from attnviz.work.jobs import order as orders
from attnviz.work.jobs import seen, table
from attnviz.work.jobs.order import Limits, Order
from tests.training import small
from tests.work.forked import forked

WAITS = """
import signal, sys
sys.stderr.write('bar \\r')
sys.stderr.flush()
open(sys.argv[1], 'w').close()
signal.pause()
"""
TRAINS = """
import sys
from pathlib import Path
from attnviz import __main__
from tests.training import small
from tests.work.forked import forked
with small.place(Path(sys.argv[1])):
    sys.exit(__main__.main(sys.argv[2:]))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A place with one recipe; what a job started is ended afterwards."""
    with small.place(tmp_path), forked():
        words = Order.words
        monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", TRAINS, str(tmp_path), *words(one)[3:]])
        yield tmp_path
        for job in table.ids():
            for identity in table._witnesses(job):
                processes.terminate(identity)
        for child in processes.children:
            child.wait()
        processes.children.clear()


@pytest.fixture
def waiting(here, monkeypatch) -> Path:
    """Every job only waits to be ended, and opens this pipe once it runs."""
    file = here / "began"
    os.mkfifo(file)
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", WAITS, str(file)])
    return file


def _await(pipe: Path) -> None:
    """Wait until a job opens the pipe."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert select.select([reader], [], [], 120)[0], "no job began"
    finally:
        os.close(reader)


def _order(**changes) -> Order:
    return Order.model_validate({"model": "pixel_attention", "recipe": "small", **changes})


def _ended() -> None:
    for child in processes.children:
        child.wait()


def test_a_job_trains_and_is_found_finished_and_deleted(here):
    job = table.start(_order(seeds=(0, 1)))
    assert table.start(_order(seeds=(0, 1))) == job
    assert table.ids() == [job]
    _ended()
    assert table.state(job) == table.State("finished", "It is finished.")
    assert [runs.read(run).seed for run in table.runs_of(job)] == [0, 1]
    assert all(runs.read(run).threads == 1 for run in table.runs_of(job))
    table.delete(job)
    assert table.ids() == runs.ids() == []


@pytest.mark.usefixtures("waiting")
def test_a_job_whose_log_is_no_file_keeps_neither_itself_nor_another_from_training(here):
    odd, other = _order(seeds=(7,)), _order(seeds=(8,))
    for order, make in ((odd, os.mkdir), (other, os.mkfifo)):
        (table.folder() / order.id).mkdir(parents=True)
        make(table.folder() / order.id / "log.txt")
    assert table.state(table.start(odd)).word == "stopped"  # it has not begun
    assert table.state(table.start(other)).word == "running"
    assert len(seen.look()) == 2


def test_a_job_that_is_finished_is_not_said_to_be_asked_to_stop(here, capsys):
    job = table.start(_order())
    _ended()
    assert __main__.main(["jobs", "stop", job]) == 0
    assert capsys.readouterr().out.endswith(f"{job}: It is finished.\n")


def test_a_run_that_two_jobs_share_stays_until_both_are_deleted(here):
    one = table.start(_order(seeds=(0,)))
    _ended()
    other = table.start(_order(seeds=(0, 1)))
    _ended()
    assert table.runs_of(other)[:1] == table.runs_of(one)
    table.delete(one)
    assert table.state(other).word == "finished"


def test_a_run_that_train_began_stays_when_the_jobs_that_went_on_with_it_are_deleted(here):
    order = _order(seeds=(0, 1))
    assert __main__.main(order.model_copy(update={"seeds": (0,)}).words()[4:]) == 0
    (found,) = runs.ids()
    one = table.start(order)
    _ended()
    other = table.start(_order(seeds=(0,)))
    _ended()
    assert found in table.runs_of(one) and table.runs_of(other) == [found]
    table.delete(one)
    table.delete(other)
    assert runs.ids() == [found]


def test_a_run_that_a_job_began_is_still_its_own_after_it_was_resumed(here):
    job = table.start(_order(more=1))
    _ended()
    assert len(table.runs_of(job)) == 1
    table.resume(job)
    _ended()
    table.delete(job)
    assert runs.ids() == []


def test_no_run_is_removed_while_a_search_that_may_have_it_cannot_be_read(here, monkeypatch):
    job = table.start(_order())
    _ended()
    (run,) = table.runs_of(job)

    def cannot_be_read(*_, **__):
        raise RunError("Optuna is missing.")

    with monkeypatch.context() as patch:
        patch.setattr(shelf.SEARCHES.__class__, "ids", lambda kind: ["search"] if kind is shelf.SEARCHES else [])
        patch.setattr(shelf, "runs_of_search", cannot_be_read)
        table.delete(job)
    assert (table.ids(), runs.ids()) == ([], [run])


def test_a_run_that_is_finished_and_cannot_be_resumed_keeps_no_other_seed_waiting(here):
    first = table.start(_order(seeds=(0,)))
    _ended()
    (run,) = table.runs_of(first)
    for state in (runs.folder() / run).glob("state-*"):
        state.unlink()
    before = {path.name: path.read_bytes() for path in (runs.folder() / run).iterdir()}
    job = table.start(_order(seeds=(0, 1)))
    _ended()
    assert table.state(job).word == "finished"
    assert [runs.read(one).seed for one in table.runs_of(job)] == [0, 1]
    assert {path.name: path.read_bytes() for path in (runs.folder() / run).iterdir()} == before


def test_a_job_runs_at_the_lowest_priority_in_a_session_of_its_own(waiting):
    job = table.start(_order())
    _await(waiting)
    (identity,) = table._witnesses(job)
    assert os.getpriority(os.PRIO_PROCESS, identity.process) == 19
    assert os.getsid(identity.process) == identity.process
    assert table.state(job).word == "running"


def test_a_server_that_only_reads_the_folder_starts_nothing(waiting, monkeypatch):
    first, second = table.start(_order()), table.start(_order(seeds=(1,)))
    _await(waiting)
    table.stop(first)
    _ended()
    with monkeypatch.context() as patch:
        patch.setattr("attnviz.work.jobs.table.os.access", lambda path, mode: mode != os.W_OK)
        table.tend()
    assert table.state(second).word == "waiting"
    table.tend()
    assert table.state(second).word == "running"


def test_one_runs_the_others_wait_each_at_its_place_and_the_next_begins_when_it_ends(waiting):
    jobs = [table.start(_order(seeds=(seed,))) for seed in range(9)]
    assert [table.state(job).place for job in jobs] == [0, *range(1, 9)]
    with pytest.raises(BadInput, match="8 trainings are waiting already"):
        table.start(_order(seeds=(9,)))
    assert table.state(jobs[2]).sentence == "It waits for the training before it, at place 2 of 8."
    table.stop(jobs[1])
    assert table.state(jobs[1]) == table.State("stopped", "It has not begun.")
    _await(waiting)
    table.stop(jobs[0])
    _ended()
    table.tend()
    assert table.state(jobs[0]) == table.State("stopped", "It was stopped, and can be resumed.")
    assert table.state(jobs[2]).word == "running"
    assert table.state(jobs[3]).place == 1
    with pytest.raises(BadInput, match="Stop it first"):
        table.delete(jobs[3])


def test_many_who_look_at_once_start_one(waiting, monkeypatch):
    started = []
    popen = table._popen
    monkeypatch.setattr(table, "_popen", lambda order, home: (started.append(order.id), popen(order, home)))
    jobs = [table.start(_order(seeds=(seed,))) for seed in range(3)]
    threads = [threading.Thread(target=table.tend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert started == jobs[:1]


def test_killed_with_9_or_before_another_boot_it_says_so_and_can_be_resumed(waiting, monkeypatch):
    job = table.start(_order())
    _await(waiting)
    (identity,) = table._witnesses(job)
    os.kill(identity.process, signal.SIGKILL)
    _ended()
    assert table.state(job).word == "interrupted"
    assert "killed" in table.state(job).sentence
    with monkeypatch.context() as patch:
        patch.setattr(processes, "boot", lambda: "another")
        assert "machine was restarted" in table.state(job).sentence
    table.resume(job)
    _await(waiting)
    assert table.state(job).word == "running"


def test_a_training_that_fails_says_its_last_sentence(here, monkeypatch):
    monkeypatch.setattr(
        Order, "words", lambda one: [sys.executable, "-c", "import sys; print('\\rbar\\nIt diverged.'); sys.exit(2)"]
    )
    job = table.start(_order())
    _ended()
    assert table.state(job) == table.State("failed", "It diverged.")


def test_a_program_that_is_not_there_is_a_failure_with_a_sentence(here, monkeypatch):
    monkeypatch.setattr(Order, "words", lambda one: [str(here / "none")])
    job = table.start(_order())
    assert table.state(job).word == "failed"
    assert "could not be started" in table.state(job).sentence


def test_who_trains_is_known_from_the_run_when_the_app_was_killed_before_it_wrote_it_down(here):
    job = table.start(_order())
    _ended()
    (run,) = table.runs_of(job)
    status = (runs.folder() / run / "status.json").read_text()
    own = processes.own().model_dump_json().strip("{}")
    (table.folder() / job / "process.json").unlink()
    (runs.folder() / run / "status.json").write_text('{"state": "running", ' + own + "}")
    assert table.state(job).word == "running"
    (runs.folder() / run / "status.json").write_text(status)
    assert table.state(job).word == "finished"


def test_resuming_lifts_limits_as_starting_does(here, monkeypatch, capsys):
    monkeypatch.setattr(table, "_start_next", lambda: None)  # it waits, so that its order can be looked at
    job = table.start(_order(changes={"epochs": "900"}, minutes=3.0), orders.NONE)
    table.stop(job)
    assert __main__.main(["jobs", "resume", job]) == 2
    assert "One training may have at most 200 epochs here, not 900" in capsys.readouterr().err
    for words, minutes in [(["--no-limits", "--minutes", "7"], 7.0), (["--no-limits"], None)]:
        assert __main__.main(["jobs", "resume", job, *words]) == 0
        assert table.read(job).minutes == minutes
        assert table._queue() == [job]
        table.stop(job)
    assert __main__.main(["jobs", "resume", job, "--no-limits", "--minutes", "-1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "name", ["..", "../x.y", "/etc/passwd", "a.b/../../c", "a.b\0", "", ".", "a\\b.c", "a.b\n", "x.y", "queue", "é.b"]
)
@pytest.mark.parametrize("ask", [table.read, table.state, table.stop, table.resume, table.delete, table.runs_of])
def test_a_name_from_anywhere_is_refused_and_leads_nowhere(here, name, ask):
    before = sorted(here.rglob("*"))
    with pytest.raises(UnknownName, match="There is no job"):
        ask(name)
    assert sorted(here.rglob("*")) == before


def test_an_order_of_another_name_is_refused(here, monkeypatch):
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", "pass"])
    job = table.start(_order())
    _ended()
    other = table.folder() / "pixel_attention.small.0000000000"
    (table.folder() / job).rename(other)
    for ask in (table.read, table.resume):
        with pytest.raises(AttnvizError, match="belongs to the job"):
            ask(other.name)
    table.delete(other.name)
    assert table.ids() == []


def test_who_asks_for_too_much_is_told_what_would_fit(here, monkeypatch):
    for limits, word in (
        (Limits(epochs=3), "3 epochs"), (Limits(parameters=5), "5 parameters"), (Limits(pictures=7), "7 pictures"),
        (Limits(seeds=1), "1 seeds"), (Limits(minutes=2.0), "2.0 minutes"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=f"at most {word}"):
            table.start(_order(seeds=(0, 1), minutes=3), limits)
    assert not table.ids()
    assert orders.checked(_order(), Limits(minutes=2.0)).minutes == 2.0
    assert orders.checked(_order(minutes=500), orders.NONE).minutes == 500
    monkeypatch.setenv(orders.UNLIMITED, "1")
    assert orders.limits() == orders.NONE


def test_the_same_training_has_the_same_name_whatever_its_threads():
    assert _order().id == _order(threads=2, minutes=1).id
    assert len({_order().id, _order(seeds=(1,)).id, _order(changes={"epochs": "2"}).id}) == 3


def test_a_full_disk_is_one_sentence(here, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("attnviz.files.write", full)
    with pytest.raises(AttnvizError, match="cannot be written: no space left on device"):
        table.start(_order())

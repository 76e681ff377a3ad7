"""What a worker of a search does with its trials and their runs, attnviz/work/search/worker.py."""

import os
import signal

import pytest
from filelock import FileLock, Timeout

from attnviz import __main__, files
from attnviz.errors import BadInput
from attnviz.recipes.axes import Axis
from attnviz.training import runs, stopping
from attnviz.training.loop import Diverged, Training
from attnviz.work import processes
from attnviz.work.jobs import carrying
from attnviz.work.jobs.order import NONE
from attnviz.work.search import table, worker
from attnviz.work.search.study import Search
from attnviz.work.shelf import SEARCHES
from tests.work.search import searching
from tests.work.search.searching import wanted


def test_a_worker_that_looks_for_the_last_time_while_more_are_asked_for_trains_them(here, monkeypatch):
    ask = Search.ask
    last_looks: list[str] = []

    def looked_just_before_more_are_asked_for(search, name):
        found = ask(search, name)
        if found is False and not last_looks:
            last_looks.append(name)
            table.prepare(wanted(trials=2), most=NONE)
        return found

    monkeypatch.setattr(Search, "ask", looked_just_before_more_are_asked_for)
    assert len(searching.work(wanted(trials=1)).finished) == 2 and last_looks


def test_who_asks_for_more_waits_for_a_last_look_and_then_counts_no_worker_that_will_not_look_again(here, monkeypatch):
    more = wanted(trials=1)
    searching.work(more)
    home, is_finished = table.home(more.id), Search.is_finished
    held: list[bool] = []

    def looked(search):
        with pytest.raises(Timeout), FileLock(SEARCHES.folder() / "lock", timeout=0):
            pass
        held.append(True)
        return is_finished(search)

    monkeypatch.setattr(Search, "is_finished", looked)
    with worker._alive(home) as name:
        note = home / "workers" / table.started(processes.own().process)
        files.write(note, processes.own().model_dump_json())
        assert table.at_work(more.id) == [processes.own()]
        assert worker._leaves(Search(home, more, "higher"), home, name) and held
        assert table.at_work(more.id) == []


def test_a_trial_ends_when_its_seconds_are_over_with_what_it_has(here, monkeypatch):
    now = iter(range(0, 10**6, 100))
    monkeypatch.setattr("attnviz.work.search.worker.time.process_time", lambda: float(next(now)))
    (trial,) = searching.work(wanted(trials=1)).trials
    assert (trial.state, trial.value) == ("pruned", None), "its first epoch was not over"
    assert trial.why == "its 60 seconds were over"


def test_what_diverges_is_pruned_and_counts(here, monkeypatch):
    def diverges(training):
        raise Diverged
        yield

    monkeypatch.setattr(Training, "run", diverges)
    (trial,) = searching.work(wanted(trials=1)).trials
    assert (trial.state, trial.value, trial.why) == ("pruned", None, "it diverged")


def test_what_cannot_be_built_is_pruned_and_counts(here, monkeypatch):
    def refuses(*_):
        raise BadInput("Heads must divide the features.")

    monkeypatch.setattr("attnviz.work.search.worker.seeds.build", refuses)
    one, other = searching.work(wanted(trials=2)).trials
    assert (one.state, one.value, one.run, one.why) == ("pruned", None, "", "Heads must divide the features")
    assert other.state == "pruned" and runs.ids() == []


def test_a_run_that_another_search_has_finished_is_taken_and_outlives_that_search(here, monkeypatch):
    first = searching.work(wanted(trials=2))
    monkeypatch.setattr(Training, "run", lambda training: pytest.fail("it was trained again"))
    second = searching.work(wanted(trials=2, seconds=59.0))
    assert first.name != second.name
    assert second.trials == first.trials
    table.delete(first.name)
    assert set(runs.ids()) == {one.run for one in second.trials}
    table.delete(second.name)
    assert runs.ids() == []


ONE = (Axis(name="heads", choices=(1,)),)


def _files(run: str, kind: str) -> list[str]:
    return sorted(one.name for one in (runs.folder() / run).glob(f"{kind}-*"))


def _train(*words: str) -> str:
    """Train the run that a search over ONE asks for first, as a person would."""
    asked = ["train", "pixel_attention", "--recipe", "small", "--run-only", "--device", "cpu", "--threads", "1"]
    __main__.main([*asked, "--set", "heads=1", *words])
    (run,) = runs.ids()
    return run


@pytest.mark.parametrize("words", [("--more", "1"), ()], ids=["of one epoch", "finished"])
def test_a_run_that_somebody_trained_is_used_and_left_as_it_is(here, monkeypatch, words):
    monkeypatch.setattr(worker, "WEIGHTS", 10)
    run = _train(*words)
    states, weights = _files(run, "state"), _files(run, "weights")
    assert states and weights
    (trial,) = searching.work(wanted(trials=1, axes=ONE)).trials
    assert (trial.run, trial.state) == (run, "complete")
    assert set(states) <= set(_files(run, "state")) and set(weights) <= set(_files(run, "weights"))
    assert __main__.main(["train", "pixel_attention", "--recipe", "small", "--run-only", "--set", "heads=1"]) == 0
    other = searching.work(wanted(trials=1, axes=ONE, seconds=59.0)).name
    for search in (wanted(axes=ONE).id, other):
        table.delete(search)
    assert (table.ids(), runs.ids()) == ([], [run])


def test_a_run_that_somebody_trained_is_left_even_by_a_trial_that_is_repeated(here, monkeypatch):
    run, report = _train("--more", "1"), Search.report

    def late(search, number, value, epoch):
        if number == 0:
            search.abandon(0)
        return report(search, number, value, epoch)

    monkeypatch.setattr(Search, "report", late)
    found = searching.work(wanted(trials=1, axes=ONE))
    assert [trial.run for trial in found.trials] == [run] * 2
    assert _files(run, "state")
    table.delete(found.name)
    assert runs.ids() == [run]


def test_a_run_that_was_brought_in_is_a_trial_like_any_other(here):
    before = searching.work(wanted(trials=1, axes=ONE))
    content = carrying.packed(before.trials[0].run)
    table.delete(before.name)
    carrying.bring(content)
    (after,) = searching.work(wanted(trials=1, axes=ONE)).trials
    assert after.state == "complete"
    assert after == before.trials[0].model_copy(update={"borrowed": True})


def test_large_weights_are_kept_of_the_best_epoch_alone(here, monkeypatch):
    monkeypatch.setattr(worker, "WEIGHTS", 10)
    (trial,) = searching.work(wanted(trials=1)).trials
    assert runs.epochs(trial.run) == [trial.epoch]


def test_a_trial_that_was_stopped_is_gone_on_with(here, monkeypatch):
    report = Search.report

    def asked_to_end(search, number, value, epoch):
        os.kill(os.getpid(), signal.SIGTERM)
        return report(search, number, value, epoch)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt), stopping.terminable():
        patch.setattr(Search, "report", asked_to_end)
        searching.work(wanted(trials=1))
    search = wanted().id
    assert [trial.state for trial in table.found(search).trials] == ["failed", "waiting"]
    one, other = searching.work(wanted(trials=1)).trials
    assert (other.state, other.run, other.seed, other.params) == ("complete", one.run, one.seed, one.params)
    assert [line.split()[3] for line in (runs.folder() / one.run / "log.txt").read_text().splitlines()] == ["1:", "2:"]


def test_a_worker_whose_trial_another_one_repeats_goes_on_with_the_next(here, monkeypatch):
    report = Search.report

    def late(search, number, value, epoch):
        if number == 0:
            search.abandon(0)  # as another worker would, which took this one for dead
        return report(search, number, value, epoch)

    monkeypatch.setattr(Search, "report", late)
    found = searching.work(wanted(trials=2))
    assert [trial.state for trial in found.trials] == ["failed", "complete", "complete"]
    assert found.trials[1].params == found.trials[0].params

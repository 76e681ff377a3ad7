"""Searches as processes, attnviz/work/search/table.py and shell.py."""

import io
import json
import os
import random
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from attnviz import __main__, data
from attnviz.data import own
from attnviz.errors import AttnvizError, BadInput, RunError, UnknownName
from attnviz.recipes.axes import Axis
from attnviz.subjects import kinds
from attnviz.subjects.history import key_of_run
from attnviz.training import runs
from attnviz.work import processes, shelf
from attnviz.work.jobs.order import NONE, Limits
from attnviz.work.search import shell, table
from attnviz.work.search.study import Search
from attnviz.work.search.trials import Found
from tests.work.search import searching
from tests.work.search.searching import Killer, wanted

KILLS = int(os.environ.get("KILLS", "10"))  # of the slow test, which takes three seconds or more for each


def test_a_trial_is_a_run_that_can_be_looked_at(here):
    found = searching.work(wanted(trials=3))
    assert [trial.state for trial in found.trials] == ["complete"] * 3
    assert {trial.run for trial in found.trials} == set(runs.ids())
    for trial in found.trials:
        info, curve = runs.read(trial.run), runs.curve(trial.run)
        assert info.seed == trial.seed == trial.number
        assert info.recipe.config["heads"] == trial.params["heads"]
        assert info.recipe.learning_rate == trial.params["learning_rate"]
        assert [epoch.values["validation_accuracy"] for epoch in curve] == list(trial.values)
        assert trial.value == trial.values[trial.epoch - 1]
        assert kinds.net(key_of_run(trial.run, trial.epoch)).load().model is not None
        assert not list((runs.folder() / trial.run).glob("state-*"))
    assert table.state(found.name).word == "finished"
    table.delete(found.name)
    assert table.ids() == runs.ids() == []


def test_more_trials_can_be_asked_for_later(here):
    assert len(searching.work(wanted(trials=1)).finished) == 1
    assert len(searching.work(wanted(trials=3)).finished) == 3
    assert len(searching.work(wanted(trials=2)).finished) == 3


def test_more_trials_can_be_asked_for_while_it_runs(here, monkeypatch):
    tell, told = Search.tell, []

    def told_while_more_are_asked_for(search, number, value):
        tell(search, number, value)
        told.append(number)
        if len(told) == 1:
            table.prepare(wanted(trials=3), most=NONE)

    monkeypatch.setattr(Search, "tell", told_while_more_are_asked_for)
    assert len(searching.work(wanted(trials=1)).finished) == 3


def test_a_search_on_a_visitor_s_own_pictures_is_listed_and_deleted_even_when_they_are_gone(here, monkeypatch, capsys):
    monkeypatch.setenv("ATTNVIZ_DATA", str(here / "data"))
    strokes, content = data.DATASETS["strokes"], io.BytesIO()
    np.savez(content, images=np.zeros((300, *strokes.shape[:2]), np.uint8), labels=np.arange(300) % 2)
    name = own.bring(content.getvalue(), "mine", strokes, "somebody")
    search = table.prepare(wanted(changes={"data": name}, trials=1), most=NONE)
    assert table.found(search).source.endswith("on Your pictures: mine.")
    assert table.state(search).done == 0
    (trial,) = searching.work(wanted(changes={"data": name}, trials=1)).trials
    other = searching.work(wanted(trials=1)).name
    assert shelf.runs_of_others(other) == {trial.run}
    own.remove(name, "somebody")
    assert shelf.runs_of_others(other) == {trial.run}
    assert __main__.main(["search"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines[search].startswith("There is no data set") and lines[other] == "All 1 trials are finished."
    table.delete(search)
    assert table.ids() == [other] and trial.run not in runs.ids()


def test_two_workers_in_the_background_share_the_trials(here):
    search = table.start(wanted(), 2, NONE)
    assert table.start(wanted(), 2, NONE) == search
    children = list(processes.children)
    assert len(children) == len(table.at_work(search)) == 2
    assert table.state(search).word == "running"
    with pytest.raises(BadInput, match="Another search is running"):
        table.start(wanted(seed=1), 1, NONE)
    with pytest.raises(BadInput, match="Stop it first"):
        table.delete(search)
    assert {os.getpriority(os.PRIO_PROCESS, child.pid) for child in children} == {19}
    assert [child.wait() for child in children] == [0, 0]
    assert table.state(search) == table.State("finished", "All 4 trials are finished.", 4, 4)


def test_stopped_at_once_it_says_so(here, monkeypatch):
    monkeypatch.setattr(table, "words", lambda one: [sys.executable, "-c", "import signal; signal.pause()"])
    search = table.start(wanted(), 1, NONE)
    (child,) = processes.children
    table.stop(search)
    child.wait()
    assert table.state(search).sentence == "It was stopped after 0 of 4 trials, and can be resumed."
    table.start(wanted(), 1, NONE)
    assert table.state(search).word == "running"
    os.kill(table.at_work(search)[0].process, signal.SIGKILL)
    processes.children[-1].wait()
    assert table.state(search).word == "interrupted"


def test_what_the_last_workers_said_is_not_told_of_the_next_ones(here, monkeypatch):
    monkeypatch.setattr(table, "words", lambda one: [sys.executable, "-c", "import signal; signal.pause()"])
    search = table.start(wanted(), 1, NONE)
    log = table.home(search) / "log.txt"
    log.write_text("There is no data.\n")
    table.start(wanted(), 2, NONE)
    assert "There is no data." in log.read_text(), "one of those that write it is at work"
    for one in table.at_work(search):
        os.kill(one.process, signal.SIGKILL)
    for child in processes.children:
        child.wait()
    log.write_text("Stopped.\n")
    table.start(wanted(), 1, NONE)
    os.kill(table.at_work(search)[0].process, signal.SIGKILL)
    processes.children[-1].wait()
    assert table.state(search).sentence == "It ended after 0 of 4 trials, and can be resumed."


def test_a_worker_that_fails_ends_the_search_with_its_sentence(here, monkeypatch):
    said = "import sys; print('There is no data.', file=sys.stderr); sys.exit(2)"
    monkeypatch.setattr(table, "words", lambda one: [sys.executable, "-c", said])
    with pytest.raises(RunError, match="There is no data"):
        shell.run(wanted(), 1, NONE, lambda found: None)
    assert table.state(wanted().id).word == "failed"


def test_a_search_that_the_keyboard_ends_is_stopped_and_has_not_failed(here, monkeypatch):
    monkeypatch.setattr(shell, "_LOOK", 0.0)  # before a trial is finished

    def interrupted(found):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shell.run(wanted(), 1, NONE, interrupted)
    assert table.state(wanted().id).sentence == "It was stopped after 0 of 4 trials, and can be resumed."


def test_the_command_writes_its_trials(here, capsys):
    words = ["search", "pixel_attention", "--recipe", "small", "--trials", "2", "--vary", "heads=1,2", "--write"]
    assert __main__.main([*words, str(here / "found.json")]) == 0
    said = capsys.readouterr().out
    assert "All 2 trials are finished." in said and "Best: accuracy" in said
    found = Found.model_validate(json.loads((here / "found.json").read_text()), strict=False)
    assert [trial.state for trial in found.trials] == ["complete"] * 2
    assert __main__.main(["search"]) == 0
    assert found.name in capsys.readouterr().out
    assert __main__.main([*words, "/none/found.json"]) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pixel_attention"], "A search needs MODEL and --recipe."),
        (["--recipe", "small"], "A search needs MODEL and --recipe."),
        (["pixel_attention", "--recipe", "small", "--workers", "0"], "A search needs at least one worker, not 0."),
        (
            ["pixel_attention", "--recipe", "small", "--workers", "-1", "--no-limits"],
            "A search needs at least one worker, not -1.",
        ),
    ],
    ids=" ".join,
)
def test_half_a_command_is_answered_with_one_sentence(here, capsys, words, sentence):
    assert __main__.main(["search", *words, "--vary", "heads=1,2"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.splitlines()[-1] == sentence
    assert table.ids() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"axes": (Axis(name="wings", choices=(1, 2)),)}, "no setting 'wings'"),
        ({"axes": (Axis(name="epochs", choices=(3, 300)),)}, "at most 200 epochs"),
        ({"axes": (Axis(name="batch", choices=(0,)),)}, "must be a whole number"),
        ({"changes": {"epochs": "none"}}, "whole number"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(here, changes, said):
    with pytest.raises((BadInput, UnknownName), match=said):
        table.start(wanted(**changes), 1, Limits())
    assert table.ids() == []


def test_who_asks_for_too_much_is_told_what_would_fit(here):
    with pytest.raises(BadInput, match="available cores"):
        table.start(wanted(), 1000, Limits())
    with pytest.raises(BadInput, match="at most 5 parameters"):
        table.start(wanted(), 1, Limits(parameters=5))


@pytest.mark.parametrize("name", ["..", "../x.y", "/etc/passwd", "a.b\0", "", "x.y", "lock"])
@pytest.mark.parametrize("ask", [table.read, table.state, table.stop, table.delete, table.found, table.at_work])
def test_a_name_from_anywhere_is_refused_and_leads_nowhere(here, name, ask):
    with pytest.raises(UnknownName, match="There is no search"):
        ask(name)


def test_settings_of_another_name_are_refused(here):
    search = table.prepare(wanted(), most=NONE)
    other = table.folder() / "pixel_attention.small.0000000000"
    (table.folder() / search).rename(other)
    with pytest.raises(AttnvizError, match="belongs to the search"):
        table.read(other.name)
    table.delete(other.name)
    assert table.ids() == []


class _Killer(Killer):
    """Kills one worker after the other, each a few lines of the journal after the last."""

    def kill(self) -> None:
        draws = random.Random(0)
        journal: Path = table.folder() / self.search / "journal.jsonl"
        after = 0
        while self.killed < KILLS and not self.over.is_set():
            size = journal.stat().st_size if journal.exists() else 0
            living = table.at_work(self.search) if size >= after and size else []
            if not living:
                self.over.wait(0.002)  # a file that grows cannot be waited for
                continue
            os.kill(draws.choice(living).process, signal.SIGKILL)
            self.killed += 1
            after = journal.stat().st_size + draws.randrange(3000)


@pytest.mark.slow
def test_two_workers_and_many_kills_finish_exactly_as_many_trials_as_were_asked_for(here):
    asked = wanted(trials=2 * KILLS)
    with _Killer(asked.id) as killer:
        found = shell.run(asked, 2, NONE, lambda found: None)
    assert killer.killed == KILLS
    assert len(found.finished) == 2 * KILLS
    assert {trial.state for trial in found.trials} <= {"complete", "pruned", "failed"}
    repeated = [(trial.seed, trial.run) for trial in found.finished if trial.run]
    assert len(set(repeated)) == len(repeated), "a trial was finished twice"
    assert table.at_work(asked.id) == []

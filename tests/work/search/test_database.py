"""Trials of a search in PostgreSQL, attnviz/work/search/database.py, against a real server."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from sqlalchemy import text

from attnviz import __main__
from attnviz.errors import BadInput, RunError
from attnviz.work.jobs.order import NONE
from attnviz.work.search import database, shell, study, table
from attnviz.work.search.study import Lost
from tests.work.search import server
from tests.work.search.searching import Killer, wanted

TRIES = text("SELECT pg_try_advisory_lock(:key)")
KILLS = int(os.environ.get("KILLS", "6"))  # of the slow test, which takes three seconds or more for each
SHORT = "from attnviz.work.search import database; database.BEAT, database.GRACE = 1, 2\n"


@pytest.fixture(scope="module")
def url():
    with server.started() as found:
        yield found
        for works in (True, False):
            database._storage(found, works)._backend.engine.dispose()
        database._made.cache_clear()


def _asked(search: study.Search, worker: str) -> tuple:
    found = search.ask(worker)
    assert isinstance(found, tuple)
    return found


def _search(here, url: str, **changes) -> study.Search:
    asked = wanted(storage=url, trials=3, **changes)
    return study.Search(here, asked, "higher")


def _dies(search: study.Search, number: int) -> None:
    """Let the last sign of life of a trial's worker be long ago."""
    told = "UPDATE trial_heartbeats SET heartbeat = heartbeat - interval '1 hour' WHERE trial_id = :trial"
    with database._backend(search.study).engine.begin() as session:
        session.execute(text(told), {"trial": search._id(number)})


def _session(url: str):
    return database._storage(url, False)._backend.engine.connect()


def _states(search: study.Search) -> list[str]:
    return [trial.state for trial in search.trials()]


def test_a_trial_without_a_sign_of_life_is_repeated_once_and_its_first_worker_is_told(here, url):
    one, two = (_search(here, url) for _ in range(2))
    number, values, first = _asked(one, "1")
    two.sweep()
    assert _states(one) == ["running"], "its worker has just begun"
    _dies(one, number)
    found = [_asked(two, "2") for _ in range(3)]
    assert found[0] == (1, values, first) == (1, values, number)
    assert two.ask("2") is None
    for late in (
        lambda: one.report(number, 0.5, 1), lambda: one.tell(number, 0.5), lambda: one.note(number, why="late")
    ):  # fmt: skip
        with pytest.raises(Lost):
            late()
    one.abandon(number)
    for number, _, _ in found:
        two.tell(number, 0.5)
    assert two.ask("2") is one.ask("1") is False
    assert sorted(_states(two)) == ["complete"] * 3 + ["failed"]


def test_who_dies_behind_the_gate_before_it_says_who_it_is_is_found_at_once(here, url):
    one = _search(here, url, seed=1)
    trial = one.study.ask()
    trial.suggest_categorical("heads", [1, 2])
    assert _asked(one, "1")[1]["heads"] == trial.params["heads"]
    assert _states(one) == ["failed", "running"]


def test_a_heart_beats_while_a_trial_is_trained(here, url, monkeypatch):
    monkeypatch.setattr(database, "BEAT", 0.01)
    one, two = (_search(here, url, seed=2) for _ in range(2))
    number, _, _ = _asked(one, "1")
    beaten, backend = threading.Semaphore(0), database._backend(one.study)
    record = backend.record_heartbeat
    monkeypatch.setattr(backend, "record_heartbeat", lambda trial: (record(trial), beaten.release()))
    with one.beating(number):
        _dies(one, number)
        for _ in range(2):  # the first one may have been on its way
            assert beaten.acquire(timeout=60)
    two.sweep()
    assert _states(one) == ["running"]


def test_only_one_process_is_behind_the_gate_and_a_kill_opens_it(here, url):
    holds = "import sys; from attnviz.work.search.database import Database\n"
    holds += "with Database(sys.argv[1], 'gate').gate(): print('holds', flush=True); sys.stdin.read()"
    own = database.Database(url, "gate")
    with subprocess.Popen([sys.executable, "-c", holds, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"holds\n"
        with own.safe(), _session(url) as session:
            assert not session.execute(TRIES, {"key": database._key("gate")}).scalar()
        other.kill()
        other.wait()
    with own.gate(), database.Database(url, "another").gate():
        pass


class _Killer(Killer):
    """Kills workers as soon as they train, one after the other, and waits until their trials have been repeated."""

    def __init__(self, search: str, kills: int) -> None:
        super().__init__(search)
        self.kills = kills

    def kill(self) -> None:
        while self.killed < self.kills and not self.over.wait(0.02):  # a database cannot be waited for
            if self.search not in table.ids():
                continue
            running = [one for one in table.found(self.search).trials if one.state == "running" and one.run]
            done = len(table.found(self.search).finished)
            at_work = table.at_work(self.search)
            if running and at_work and done >= self.killed - 1:
                os.kill(at_work[0].process, signal.SIGKILL)
                self.killed += 1


@pytest.mark.parametrize(("trials", "kills"), [(8, 3), pytest.param(KILLS + 10, KILLS, marks=pytest.mark.slow)])
def test_two_workers_of_whom_some_are_killed_finish_exactly_as_many_trials_as_were_asked_for(
    here, url, monkeypatch, trials, kills
):
    words = table.words
    monkeypatch.setattr(table, "words", lambda one: [sys.executable, "-c", SHORT + words(one)[2], *words(one)[3:]])
    asked = wanted(storage=url, trials=trials, seed=3)
    with _Killer(asked.id, kills) as killer:
        found = shell.run(asked, 2, NONE, lambda found: None)
    assert killer.killed == kills
    assert len(found.finished) == trials
    assert {trial.state for trial in found.trials} <= {"complete", "pruned", "failed"}
    finished = [trial.run for trial in found.finished if trial.run]
    assert len(set(finished)) == len(finished), "a trial was finished twice"
    assert not (table.home(found.name) / "journal.jsonl").exists()
    table.delete(found.name)
    assert table.ids() == []
    assert _search(here, url, seed=3).trials() == (), "the database has forgotten it, too"


def test_what_another_machine_trains_is_not_deleted_here(here, url):
    search = table.prepare(wanted(storage=url, seed=4), most=NONE)
    assert table.state(search).sentence == "0 of 4 trials are finished. No worker is running here."
    other = _search(here, url, seed=4)
    number, _, _ = _asked(other, "elsewhere")
    with pytest.raises(BadInput, match="on another machine"):
        table.delete(search)
    _dies(other, number)
    table.delete(search)
    assert table.ids() == []


def test_a_search_stays_where_it_was_begun(here, url):
    search = table.prepare(wanted(seed=5), most=NONE)
    with pytest.raises(BadInput, match=r"keeps its trials in its folder\. Continue it without --storage"):
        table.prepare(wanted(seed=5, storage=url), most=NONE)
    table.delete(search)
    table.prepare(wanted(seed=5, storage=url), most=NONE)
    assert table.prepare(wanted(seed=5), most=NONE) == search
    assert table.read(search).storage == url


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://me@host/searches", "a database of PostgreSQL, not 'mysql://me@host/searches'. It must look like"),
        ("sqlite:///searches.db", "a database of PostgreSQL"),
        ("postgresql://me@host", "a database of PostgreSQL"),
        ("postgresql://me@host:port/searches", "cannot be read"),
        ("postgresql://me@[host/searches", "cannot be read"),
        ("postgresql://me:secret@host/searches", "must not hold a password. Put it into PGPASSWORD or ~/.pgpass."),
        ("postgresql://me@host/searches?password=secret", "must not hold a password"),
        ("grpc://host:13000", "Give the PostgreSQL behind it"),
        ("nonsense", "a database of PostgreSQL"),
    ],
)
def test_a_storage_that_cannot_be_used_is_one_sentence(here, capsys, url, said):
    words = ["search", "pixel_attention", "--recipe", "small", "--trials", "2", "--vary", "heads=1,2"]
    assert __main__.main([*words, "--storage", url]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1 and "secret" not in told
    assert table.ids() == []


def test_a_server_that_does_not_answer_is_one_sentence(here):
    pytest.importorskip("psycopg", reason="psycopg, the driver of PostgreSQL, is not installed here.")
    away = wanted(storage=f"postgresql://me@/searches?host={here}")
    with pytest.raises(RunError, match=r"^The storage postgresql://me@/searches.* cannot be used: .*socket") as told:
        study.opened(here, away)
    assert "\n" not in str(told.value)


def test_without_a_driver_it_says_what_to_install(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInput, match=r'pip install "attnviz\[postgresql\]"'):
        study.opened(here, wanted(storage="postgresql://me@host/searches"))

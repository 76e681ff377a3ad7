"""Optuna's study in the folder of a search, attnviz/work/search/study.py."""

import json

import pytest
from filelock import FileLock

from attnviz.errors import RunError
from attnviz.recipes.axes import Axis
from attnviz.work.search import journal, study
from attnviz.work.search.wanted import Wanted

AXES = (Axis(name="heads", choices=(1, 8)), Axis(name="learning_rate", low=1e-3, high=1e-1, log=True))


def _wanted(**changes) -> Wanted:
    return Wanted.model_validate({"model": "a", "recipe": "b", "axes": AXES, "trials": 3, **changes})


@pytest.fixture
def home(tmp_path):
    (tmp_path / "workers").mkdir()
    return tmp_path


class Worker:
    """A worker that lives until it is killed."""

    def __init__(self, home, name: str, **changes) -> None:
        self.name = name
        self.lock = FileLock(home / "workers" / f"{name}.lock")
        self.lock.acquire()
        self.search = study.Search(home, _wanted(**changes), "higher")

    def ask(self):
        return self.search.ask(self.name)

    def finish(self, value=0.5):
        number, _, _ = found = self.ask()
        self.search.tell(number, value)
        return found

    def die(self) -> None:
        self.lock.release()


def _states(worker: Worker) -> list[str]:
    return [trial.state for trial in worker.search.trials()]


def test_exactly_as_many_trials_are_finished_as_were_asked_for(home):
    one, two = Worker(home, "1"), Worker(home, "2")
    one.finish()
    last = one.ask()
    one.search.tell(two.ask()[0], None)
    assert two.ask() is None, "the last one is still being trained"
    one.search.tell(last[0], 0.7)
    assert one.ask() is two.ask() is False
    assert _states(one) == ["complete", "complete", "pruned"]
    assert [trial.value for trial in two.search.trials()] == [0.5, 0.7, None]


def test_the_trial_of_a_dead_worker_is_repeated_once_with_its_values_and_its_seed(home):
    one, two = Worker(home, "1"), Worker(home, "2")
    number, values, first = one.ask()
    one.die()
    found = [two.ask() for _ in range(3)]
    assert found[0] == (1, values, first) == (1, values, number)
    assert two.ask() is None
    for number, _, _ in found:
        two.search.tell(number, 0.5)
    assert two.ask() is False
    assert sorted(_states(two)) == ["complete"] * 3 + ["failed"]


def test_who_dies_behind_the_gate_before_it_says_who_it_is_is_found_too(home):
    one = Worker(home, "1")
    trial = one.search.study.ask()
    trial.suggest_categorical("heads", [1, 8])
    one.search.study.ask()  # not even values: there is nothing to repeat
    assert one.ask()[1]["heads"] == trial.params["heads"]
    assert _states(one)[:2] == ["failed", "failed"]
    assert "waiting" not in _states(one)


def test_a_repetition_that_dies_before_it_has_values_is_repeated_with_the_same(home):
    one, two = Worker(home, "1"), Worker(home, "2")
    _, values, first = one.ask()
    one.die()
    two.search.sweep()
    two.search.study.ask()  # the repetition is taken, and whoever took it is gone
    assert two.ask() == (2, values, first)


def test_killed_between_the_repetition_and_the_failure_nothing_is_repeated_twice(home, monkeypatch):
    one, two = Worker(home, "1"), Worker(home, "2")
    one.ask()
    one.die()
    tell = two.search.study.tell

    def killed(*_args, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr(two.search.study, "tell", killed)
    with pytest.raises(KeyboardInterrupt):
        two.ask()
    monkeypatch.setattr(two.search.study, "tell", tell)
    two.ask()
    assert _states(two) == ["failed", "running"]


def test_a_trial_whose_worker_always_dies_is_given_up_and_counts(home):
    looks = Worker(home, "looks")
    for which in range(study.TRIES):
        one = Worker(home, str(which))
        one.ask()
        one.die()
    looks.ask()
    assert _states(looks) == ["failed", "failed", "pruned", "running"]
    assert "killed 3 times" in looks.search.trials()[2].why


def test_a_trial_that_was_stopped_is_repeated_however_often(home):
    one = Worker(home, "1")
    for _ in range(study.TRIES + 2):
        number, values, first = one.ask()
        one.search.abandon(number)
    assert one.ask() == (study.TRIES + 2, values, first)
    assert first == 0
    number, _, _ = Worker(home, "2").finish()
    one.search.abandon(number)
    assert _states(one)[number] == "complete", "it was finished before it could be stopped"


@pytest.mark.parametrize("half", [b"{", b'{"op_code":4,"worker', b'{"a":1}'])
def test_half_a_last_line_is_cut_off_before_anything_is_written(home, half):
    one = Worker(home, "1")
    one.finish()
    with (home / "journal.jsonl").open("ab") as file:
        file.write(half)
    assert len(study.looked_at(study.opened(home, _wanted()))) == 1, "reading it changes nothing"
    one.finish()
    with (home / "journal.jsonl").open("ab") as file:
        file.write(half)
    two = Worker(home, "2")
    two.finish()
    lines = (home / "journal.jsonl").read_bytes().splitlines(keepends=True)
    assert all(json.loads(line) and line.endswith(b"\n") for line in lines)
    assert _states(two) == ["complete"] * 3


def test_a_long_line_without_an_end_is_cut_off_too(tmp_path):
    path = tmp_path / "journal.jsonl"
    for whole in (b"", b"a\n"):
        path.write_bytes(whole + b"x" * 10_000)
        journal.mend(path)
        assert path.read_bytes() == whole
    journal.mend(tmp_path / "none")


def test_a_journal_that_cannot_be_read_is_one_sentence(home):
    Worker(home, "1").finish()
    (home / "journal.jsonl").write_bytes(b"nonsense\n" * 3)
    with pytest.raises(RunError, match=r"journal.jsonl cannot be read\. Delete the search"):
        study.opened(home, _wanted())


def _noted(**what: object) -> str:
    return json.dumps({"op_code": 8, "worker_id": "x", "trial_id": 0, "user_attr": what})


@pytest.mark.parametrize(
    "line",
    [
        "[" * 3000 + "]" * 3000, '{"op_code": 99, "worker_id": "x"}',
        _noted(epoch="x"), _noted(run=[1]), _noted(seed=float("inf")), _noted(seconds=10**399), _noted(why=None),
    ],
)  # fmt: skip
def test_a_damaged_line_of_a_journal_is_one_sentence(home, line):
    Worker(home, "1").ask()
    with (home / "journal.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(RunError, match=r"(cannot be read|are damaged)\. Delete the search and start it again"):
        study.looked_at(study.opened(home, _wanted()))


def test_a_study_of_several_directions_is_damaged(home):
    Worker(home, "1").finish()
    path = home / "journal.jsonl"
    path.write_text(path.read_text().replace('"directions":[2]', '"directions":[2,2]'))
    with pytest.raises(RunError, match="cannot be read"):
        study.opened(home, _wanted())


def test_who_only_looks_sees_no_study_before_it_is_begun(home):
    assert study.opened(home, _wanted()) is None
    (home / "journal.jsonl").touch()
    assert study.opened(home, _wanted()) is None


def test_a_search_draws_the_same_again_whatever_was_restarted(home, tmp_path):
    drawn = []
    for place in ("a", "b"):
        there = tmp_path / place
        (there / "workers").mkdir(parents=True)
        worker = Worker(there, "1", trials=20)
        for which in range(12):
            drawn.append(worker.finish(which / 10)[1])
            if place == "b":
                worker.die()
                worker = Worker(there, f"again{which}", trials=20)
    assert drawn[:12] == drawn[12:]
    assert len({str(one) for one in drawn[:12]}) > 6


def test_poor_trials_are_pruned_once_ten_are_complete(home):
    one = Worker(home, "1", trials=20)
    for which in range(10):
        number, _, _ = one.ask()
        value = 0.9 if which < 9 else 0.8  # worse than all, but only nine are complete
        assert not one.search.report(number, value, 1)
        one.search.tell(number, value)
    number, _, _ = one.ask()
    assert one.search.report(number, 0.5, 1)
    number, _, _ = one.ask()
    assert not one.search.report(number, 0.95, 1)
    assert not study.Search(home, _wanted(prune=False), "higher").report(one.ask()[0], 0.5, 1)

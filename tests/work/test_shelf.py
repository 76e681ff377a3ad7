"""To which jobs and searches runs belong, attnviz/work/shelf.py."""

import pytest

from attnviz.errors import RunError
from attnviz.work import shelf
from attnviz.work.folders import Folders

JOBS = {"a": ["m.one", "m.two"], "b": ["m.two", "m.three", "m.lent-to-b"]}
SEARCHES = {"c": ["m.three", "m.four", "m.lent-to-c"], "d": ["", "../five"]}


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    def runs_of(name: str, *, borrowed: bool) -> list[str]:
        if name == "damaged":
            raise RunError("It cannot be read.")
        return [run for run in (JOBS | SEARCHES)[name] if borrowed or "lent" not in run]

    known = {"job": [*JOBS, "damaged"], "search": [*SEARCHES]}
    monkeypatch.setattr(Folders, "ids", lambda kind: known[kind.word])
    monkeypatch.setattr(shelf, "runs_of_job", runs_of)
    monkeypatch.setattr(shelf, "runs_of_search", runs_of)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("a", {"m.two", "m.three", "m.four", "m.lent-to-b", "m.lent-to-c"}),
        ("b", {"m.one", "m.two", "m.three", "m.four", "m.lent-to-c"}),
        ("c", {"m.one", "m.two", "m.three", "m.lent-to-b"}),
        ("none", {"m.one", "m.two", "m.three", "m.four", "m.lent-to-b", "m.lent-to-c"}),
    ],
)
def test_runs_of_all_others_are_found_and_a_name_that_leads_elsewhere_is_none(name: str, others: set[str]) -> None:
    assert shelf.runs_of_others(name) == others
    assert shelf.runs_of_others(name, borrowed=False) == {run for run in others if "lent" not in run}
    assert shelf.alone_of(name, ["m.two", "m.five"]) == [run for run in ["m.two", "m.five"] if run not in others]


def test_where_a_search_cannot_be_read_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Folders, "ids", lambda kind: [*(JOBS if kind is shelf.JOBS else SEARCHES), "damaged"])
    assert shelf.runs_of_others("a") is None
    assert shelf.alone_of("a", ["m.one"]) == []
    assert shelf.runs_of_others("damaged") == {"m.one", "m.two", "m.three", "m.four", "m.lent-to-b", "m.lent-to-c"}

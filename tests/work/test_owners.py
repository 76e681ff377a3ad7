"""To which jobs and searches runs belong, attnviz/work/owners.py."""

import pytest

from attnviz.errors import RunError
from attnviz.work import owners
from attnviz.work.jobs import shelf as jobs
from attnviz.work.search import shelf as searches

JOBS = {"a": ["m.one", "m.two"], "b": ["m.two", "m.three", "m.lent-to-b"]}
SEARCHES = {"c": ["m.three", "m.four", "m.lent-to-c"], "d": ["", "../five"]}


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    def runs_of(name: str, *, borrowed: bool) -> list[str]:
        if name == "damaged":
            raise RunError("It cannot be read.")
        return [run for run in (JOBS | SEARCHES)[name] if borrowed or "lent" not in run]

    monkeypatch.setattr(jobs, "ids", lambda: [*JOBS, "damaged"])
    monkeypatch.setattr(jobs, "runs_of", runs_of)
    monkeypatch.setattr(searches, "ids", lambda: [*SEARCHES])
    monkeypatch.setattr(searches, "runs_of", runs_of)


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
    assert owners.of_others(name) == others
    assert owners.of_others(name, borrowed=False) == {run for run in others if "lent" not in run}


def test_where_a_search_cannot_be_read_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "ids", lambda: [*SEARCHES, "damaged"])
    assert owners.of_others("a") is None
    assert owners.of_others("damaged") == {"m.one", "m.two", "m.three", "m.four", "m.lent-to-b", "m.lent-to-c"}

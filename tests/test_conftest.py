"""What the suite says of itself at its end, tests/conftest.py."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_xdist_auto_num_workers, repeated


def report(test: str, when: str = "call") -> SimpleNamespace:
    return SimpleNamespace(nodeid=test, when=when)


def test_a_test_that_passes_only_when_it_is_repeated_is_a_fault() -> None:
    stats = {
        "passed": [report("steady"), report("once"), report("twice"), report("never", "setup")],
        "failed": [report("never")],
        "rerun": [report("once"), report("twice"), report("twice"), report("never"), report("never")],
    }
    assert repeated(stats) == {"once": 1, "twice": 2}
    assert repeated({}) == {}


@pytest.mark.parametrize(
    ("arguments", "workers"),
    [
        (["tests"], 3), ([], 0), (["."], 3), (["tests/browser"], 3), (["tests/browser/draw"], 3), (["tests/models"], 2),
        (["tests/models", "tests/browser/draw"], 3), (["tests/test_roles.py"], 0), (["tests/browser/test_app.py"], 0),
    ],
)  # fmt: skip
def test_only_folders_run_in_several_processes_with_browser_tests_in_three(arguments, workers, monkeypatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[1])
    assert pytest_xdist_auto_num_workers(SimpleNamespace(args=arguments)) == workers

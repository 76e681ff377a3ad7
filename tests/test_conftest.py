"""What the suite says of itself at its end, tests/conftest.py."""

from types import SimpleNamespace

from tests.conftest import repeated


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

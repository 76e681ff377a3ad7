"""What all tests share: one thread of torch, no data set that happens to lie on this machine, and a budget of time."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from filelock import FileLock

# Before torch is imported, here or in a server that a test starts. Threads that wait for one another on a busy machine
# are many times slower than one; and small models gain nothing by them.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Each of several hundred processes would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The benchmarks are started too, to see that they work.
os.environ["BENCHMARKS_SMALL"] = "1"

# An example that takes long on a busy machine is no failure.
hypothesis.settings.register_profile("patient", hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("patient")


# The models that somebody keeps on this machine are no part of a test, nor of what is collected.
os.environ["ATTNVIZ_KEPT"] = os.devnull


@pytest.fixture(scope="session", autouse=True)
def no_data_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point ATTNVIZ_DATA and ATTNVIZ_RUNS at empty folders, for the tests and for every process they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_DATA", str(tmp_path_factory.mktemp("no-data-sets")))
        patch.setenv("ATTNVIZ_RUNS", str(tmp_path_factory.mktemp("no-runs")))
        yield


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Take back what `AppTest` leaves behind: its page as `__main__`, which a new process would then run first."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def third_parties(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment in which the packages of third parties are installed, and a model of each is trained.

    They are trained once, by the process that asks first.
    """
    from tests.third_party.installed import trained

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with FileLock(shared / "third-parties.lock"):
        return trained(shared / "third-parties")


# Time

BUDGET = 12  # minutes on two quiet cores
BEGAN = time.monotonic()
LEFT_OUT = pytest.StashKey[int]()  # how many slow tests


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run folders in two processes, with browser tests in three, and files in one.

    A browser test waits for nearly half of its time, for its page, its server or the driver between them: measured on
    four files of tests, it keeps 0.43 to 0.6 cores busy.
    """
    folders = [Path(argument).resolve() for argument in config.args if Path(argument).is_dir()]
    browser = Path(__file__).parent / "browser"
    return (
        3 if any(browser in (one, *one.parents) or one in browser.parents for one in folders) else 2 if folders else 0
    )


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count the slow tests that are left out."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.config.stash[LEFT_OUT] = item.config.stash.get(LEFT_OUT, 0) + 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the count from a worker to the process that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


def pytest_testnodedown(node: Any) -> None:
    """Receive the count; every worker collects all tests, so that they agree."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def repeated(stats: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Return how often each test failed that passed in the end; `stats` are those of pytest's terminal reporter."""
    passed = {report.nodeid for report in stats.get("passed", ()) if report.when == "call"}
    return dict(Counter(report.nodeid for report in stats.get("rerun", ()) if report.nodeid in passed))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how long it took, what was left out, and which tests passed only when they were repeated."""
    if again := repeated(terminalreporter.stats):
        terminalreporter.section("faults: passed, but not at the first try", red=True)
        for test, times in sorted(again.items()):
            terminalreporter.write_line(f"FAULT {test} failed {times} of {times + 1} times; mend the test or the code.")
    minutes, seconds = divmod(round(time.monotonic() - BEGAN), 60)
    terminalreporter.write_line(f"{minutes} min {seconds} s; the whole suite may take {BUDGET} min on two quiet cores.")
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f'{left_out} slow tests were left out; run them too with: python -m pytest -m "slow or not slow"'
        )

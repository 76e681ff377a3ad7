"""What spares descriptors, and what happens where there are few."""

import asyncio
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from streamlit.runtime import app_session

from attnviz.ui.server import descriptors
from attnviz.ui.server.descriptors import ScriptLoop

linux = pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")


def open_now() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.fixture
def few_free() -> Iterator[None]:
    """Leave 20 descriptors."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now() + 20, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@linux
def test_sessions_of_streamlit_hold_no_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_session, "asyncio", asyncio)  # put back at the end
    monkeypatch.setattr(app_session, "PagesManager", MagicMock())
    descriptors.spare_sessions()

    def make() -> app_session.AppSession:
        some: Any = MagicMock()
        return app_session.AppSession(some, some, some, some, {})

    async def visit() -> list[app_session.AppSession]:
        before = open_now()
        sessions = [make() for _ in range(20)]
        assert open_now() == before
        return sessions

    for one in asyncio.run(visit()):
        assert type(one._script_event_loop) is ScriptLoop
        one._script_event_loop.close()


@linux
def test_a_sessions_loop_can_be_run_and_is_woken_by_threads() -> None:
    before = open_now()
    loop = ScriptLoop()
    for _ in range(2):
        assert loop.run_until_complete(asyncio.wait_for(asyncio.to_thread(sum, (3, 4)), 30)) == 7
    assert open_now() == before
    loop.close()


@linux
def test_nothing_is_imported_where_too_few_descriptors_are_free(few_free: None) -> None:
    before, begun = open_now(), False
    with pytest.raises(OSError, match="Too many open files"), descriptors.room():
        begun = True
    assert not begun
    assert open_now() == before


@pytest.mark.parametrize(
    ("soft", "hard", "then"),
    [(1024, 4096, 4096), (1024, 1 << 20, descriptors.WISHED), (256, -1, descriptors.WISHED), (1024, 1024, 1024),
     (1 << 20, 1 << 20, 1 << 20), (-1, -1, -1)],
)  # fmt: skip
def test_the_soft_limit_is_raised_as_far_as_it_may(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, then: int
) -> None:
    limits = [(soft, hard)]
    system = SimpleNamespace(
        RLIMIT_NOFILE=7, RLIM_INFINITY=-1, getrlimit=lambda _: limits[-1], setrlimit=lambda _, new: limits.append(new)
    )
    monkeypatch.setattr(descriptors, "resource", system)
    descriptors.raise_limit()
    assert limits[-1] == (then, hard)
    assert descriptors.for_connections() == (then if 0 < then < descriptors.WISHED else descriptors.WISHED) - 224


def test_without_limits_of_the_system_there_are_as_many_as_are_wished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "resource", None)  # as on Windows
    descriptors.raise_limit()
    assert descriptors.for_connections() == descriptors.WISHED - descriptors.OURS

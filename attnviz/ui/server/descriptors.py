"""How many files and connections the process may have open, and what spares them.

Every connection takes a descriptor, of which a process often has 1,024. Where they are used up, nothing can be opened
for anybody: no page, no data, and no module, of which torch, once half imported, can never be imported again.
"""

import asyncio
import os
import selectors
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

try:
    import resource
except ImportError:  # Windows, whose sockets are no files
    resource = None  # type: ignore[assignment]

WISHED = 16_384
OURS = 224
"""Descriptors that connections leave to all else: modules, weights, data, logs, trainings that start."""

_ROOM = 64  # that must be free before a module is imported that opens many files


def raise_limit() -> None:
    """Take as many descriptors as the system gives without asking: its soft limit is for programs that use `select`."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WISHED if hard == resource.RLIM_INFINITY else min(WISHED, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def for_connections() -> int:
    """Return how many connections there may be at a time."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource is not None else WISHED
    return max(32, min(soft if soft >= 0 else WISHED, WISHED) - OURS)  # RLIM_INFINITY is negative


@contextmanager
def room() -> Iterator[None]:
    """Import in the block what must not fail half way; OSError, before it begins, where few descriptors are free."""
    with ExitStack() as stack:
        for _ in range(_ROOM):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    yield


def spare_sessions() -> None:
    """Make Streamlit's sessions hold no descriptors: once per process, before the first visitor comes.

    Each session has an event loop for its scripts, and keeps it for two minutes after the visitor has left. It hardly
    ever runs, and takes three descriptors all the time. (1.67; this can go when Streamlit makes it as it is needed.)
    """
    from streamlit.runtime import app_session

    class Asyncio:
        new_event_loop = ScriptLoop

        def __getattr__(self, name: str) -> Any:
            return getattr(asyncio, name)

    setattr(app_session, "asyncio", Asyncio())  # noqa: B010


class ScriptLoop(asyncio.SelectorEventLoop):
    """An event loop that holds descriptors only while it runs: those by which other threads wake it."""

    def __init__(self) -> None:
        super().__init__(getattr(selectors, "PollSelector", selectors.SelectSelector)())

    def run_forever(self) -> None:
        """Run until `stop` is called."""
        super()._make_self_pipe()  # type: ignore[misc]
        try:
            super().run_forever()
        finally:
            super()._close_self_pipe()  # type: ignore[misc]

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None

    def _close_self_pipe(self) -> None:
        """Nothing: there is none while it does not run."""

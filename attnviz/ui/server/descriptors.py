"""The limit on the process's open files and connections, and ways to save descriptors.

Every connection takes a descriptor, of which a process often has 1,024. Once they are used up, nothing can be opened
for anybody: no page, no data, and no module. Torch, once half imported, can never be imported again.
"""

import asyncio
import os
import selectors
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

try:
    import resource
except ImportError:  # Windows, where sockets are not file descriptors
    resource = None  # type: ignore[assignment]

WISHED = 16_384
OURS = 224
"""Descriptors reserved for everything but connections: modules, weights, data, logs, trainings that start."""

_ROOM = 64  # descriptors that must be free before importing a module that opens many files


def raise_limit() -> None:
    """Raise the soft limit as far as the system allows; the low default is for programs that use `select`."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WISHED if hard == resource.RLIM_INFINITY else min(WISHED, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def for_connections() -> int:
    """Return the maximum number of simultaneous connections."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource is not None else WISHED
    return max(32, min(soft if soft >= 0 else WISHED, WISHED) - OURS)  # RLIM_INFINITY is negative


@contextmanager
def room() -> Iterator[None]:
    """Guard a block of imports that must not fail halfway: raise OSError before it if too few descriptors are free."""
    with ExitStack() as stack:
        for _ in range(_ROOM):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    yield


def spare_sessions() -> None:
    """Make Streamlit's sessions hold no descriptors; call this once per process, before the first visitor.

    Each session has an event loop for its scripts, and keeps it for two minutes after the visitor has left. It hardly
    ever runs, but always takes three descriptors. (1.67; this can be removed when Streamlit makes it on demand.)
    """
    from streamlit.runtime import app_session

    class Asyncio:
        new_event_loop = ScriptLoop

        def __getattr__(self, name: str) -> Any:
            return getattr(asyncio, name)

    setattr(app_session, "asyncio", Asyncio())  # noqa: B010


class ScriptLoop(asyncio.SelectorEventLoop):
    """An event loop that holds the descriptors by which other threads wake it only while it runs."""

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
        """Do nothing, since there is no pipe while the loop does not run."""

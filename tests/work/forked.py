"""Processes that train at once: they are forked from a server that has imported torch and trained once, see warm.py.

Each is a process of its own, with the environment, the output and the session that `children.spawn` would give it, and
without the seconds that a fresh interpreter takes until then. `children.spawn` itself has tests of its own.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pytest

from attnviz.work import children
from tests.forks import FORKS


class Child:
    """A forked process, as much of `subprocess.Popen` as attnviz asks of one."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        self._process.join(timeout)
        return self.returncode


@contextmanager
def forked() -> Iterator[None]:
    """Let programs that import attnviz be forked."""
    spawn = children.spawn

    def fork(words: list[str], threads: int, log: IO[bytes]) -> Any:
        if words[:2] != [sys.executable, "-c"] or "from attnviz import __main__" not in words[2]:
            return spawn(words, threads, log)
        given = words[2:], children.environment(threads), str(Path.cwd()), DupFd(log.fileno())
        process = FORKS.Process(target=_run, args=given)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # else the child would import pytest
            process.start()
        children.lowest(process.pid)
        return Child(process)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(children, "spawn", fork)
        yield


def _run(words: list[str], environment: dict[str, str], folder: str, log: Any) -> None:
    """Be `python -c WORDS`."""
    os.setsid()
    number = log.detach()
    for stream in (1, 2):
        os.dup2(number, stream)
    os.close(number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({**environment, "CUDA_VISIBLE_DEVICES": ""})
    sys.argv = ["-c", *words[1:]]
    exec(compile(words[0], "<string>", "exec"), {"__name__": "__main__"})

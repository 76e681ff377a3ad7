"""Processes that train at once: they are forked from a server that has imported torch and trained once, see warm.py.

Each is a process of its own, with the environment, the output and the session that `children.spawn` would give it, and
without the seconds that a fresh interpreter takes until then. `children.spawn` itself has tests of its own.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, Any

import pytest

from attnviz.work import processes
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


def popen(
    words: list[str], *, stdout: IO[bytes], env: dict[str, str], pass_fds: Sequence[int] = (), **more: Any
) -> Child | subprocess.Popen[bytes]:
    """Be `subprocess.Popen`, but fork a program that trains."""
    if words[:2] != [sys.executable, "-c"] or "from attnviz import __main__" not in words[2]:
        return subprocess.Popen(words, stdout=stdout, env=env, pass_fds=pass_fds, **more)
    files = [DupFd(one) for one in (stdout.fileno(), *pass_fds)]
    process = FORKS.Process(target=_run, args=(words[2:], env, str(Path.cwd()), files))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # else the child would import pytest
        process.start()
    return Child(process)


@contextmanager
def forked() -> Iterator[None]:
    """Let background processes that train be forked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": popen}))
        yield


def _run(words: list[str], environment: dict[str, str], folder: str, files: list[Any]) -> None:
    """Be `python -c WORDS`, with an output and open files."""
    os.setsid()
    output, *_ = [file.detach() for file in files]
    for stream in (1, 2):
        os.dup2(output, stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({**environment, "CUDA_VISIBLE_DEVICES": ""})
    sys.argv = ["-c", *words[1:]]
    exec(compile(words[0], "<string>", "exec"), {"__name__": "__main__"})

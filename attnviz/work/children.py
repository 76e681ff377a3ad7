"""Background processes: of the lowest priority, with the same folders as this one."""

from __future__ import annotations

import errno
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from attnviz import files
from attnviz.training import runs
from attnviz.work import processes


def spawn(words: list[str], threads: int, log: IO[bytes], alive: Path) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, so that it outlives the process that started it. Its output goes to
    `log`; it holds the lock of the file `alive` as long as it lives, and OSError says that another process does.
    """
    with files.opened(alive, "ab") as file:
        if not processes.hold(file):
            raise BlockingIOError(errno.EAGAIN, "another process is at it already")
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=environment(threads),
            pass_fds=(file.fileno(),) if os.name == "posix" else (),
        )  # fmt: skip
    lowest(child.pid)
    return child


def environment(threads: int) -> dict[str, str]:
    """Return the environment of a process that works in the background with so many CPU threads."""
    counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    found = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    paths = {"ATTNVIZ_RUNS": str(runs.folder().absolute()), "PYTHONPATH": os.pathsep.join(found)}
    return {**os.environ, **counts, **paths}


def lowest(process: int) -> None:
    """Give a process the lowest priority, for good."""
    with suppress(psutil.Error):  # it may have ended already
        psutil.Process(process).nice(19 if os.name == "posix" else psutil.IDLE_PRIORITY_CLASS)


def forget(children: list[subprocess.Popen[bytes]]) -> None:
    """Remove the processes that have ended from a list; polling also reaps them, so that no zombie is left."""
    children[:] = [child for child in children if child.poll() is None]

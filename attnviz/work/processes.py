"""Which process is which: its number can belong to another one later, so its start and the boot stand beside it.

Processes of another container or machine cannot be seen by their numbers, so each also holds a lock while it lives.

Nothing here goes by the clock where the system counts ticks since its start (Linux): a clock set back changes nothing.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from attnviz import files
from attnviz.recipes.recipe import Strict
from attnviz.training import runs

if sys.platform != "win32":
    import fcntl

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PATIENCE = 1.0  # seconds

children: list[subprocess.Popen[bytes]] = []
"""Those that this process started: they stay zombies until they are waited for."""


class Identity(Strict):
    """What identifies a process.

    Args:
        process: its number.
        started: when it started, as the system counts: on Linux in ticks since the machine's start, else in seconds.
        boot: which start of the machine that was.
    """

    process: int
    started: float
    boot: str

    @property
    def alive(self) -> bool:
        """Whether that very process still runs; one that has ended but was not waited for does not."""
        return self.boot == boot() and started(self.process) == self.started


def own() -> Identity:
    """Return the identity of this process."""
    return Identity(process=os.getpid(), started=started(os.getpid()) or 0.0, boot=boot())


def of(process: int) -> Identity | None:
    """Return the identity of a process by its number; None where none runs."""
    found = started(process)
    return None if found is None else Identity(process=process, started=found, boot=boot())


def boot() -> str:
    """Return a word for this start of the machine: another one after the next."""
    try:
        return _BOOT.read_text().strip()
    except OSError:  # not on Linux
        return str(round(psutil.boot_time()))


def started(process: int) -> float | None:
    """Return when a process started, as `Identity` keeps it; None where none of that number runs."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()  # the name may contain anything
        return None if words[0] in "ZX" else float(words[19])
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except (OSError, IndexError, ValueError):
        return None
    with suppress(psutil.Error):
        found = psutil.Process(process)
        return None if found.status() == psutil.STATUS_ZOMBIE else float(found.create_time())
    return None


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock of a file, in whatever container, or machine that shares the folder.

    Nothing is written, so that this can be asked of a folder that can only be read. A file that is not there, and one
    that cannot be opened, is held by nobody.
    """
    try:
        with files.opened(path) as file:
            return not _locked(file, shared=True)
    except OSError:
        return False


def hold(file: IO[bytes]) -> bool:
    """Take the lock of an open file, which processes that inherit it hold, too; return whether it could be taken."""
    until = time.monotonic() + _PATIENCE
    while not (taken := _locked(file, shared=False)) and time.monotonic() < until:
        time.sleep(0.01)  # another process may just be testing the lock
    return taken


def _locked(file: IO[bytes], shared: bool) -> bool:
    """Take the lock of an open file if it is free; say that it was taken where there are no locks."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True


def terminate(identity: Identity) -> bool:
    """Ask a process to end by SIGTERM, if it is still that one; return whether it was asked."""
    with suppress(psutil.Error):
        found = psutil.Process(identity.process)  # compares start times, so it never signals a new process with this ID
        if identity.alive:
            found.terminate()
            return True
    return False


def spawn(words: list[str], threads: int, log: IO[bytes], alive: Path) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, so that it outlives the process that started it. Its output goes to
    `log`; it holds the lock of the file `alive` as long as it lives, and OSError says that another process does.
    """
    with files.opened(alive, "ab") as file:
        if not hold(file):
            raise BlockingIOError(errno.EAGAIN, "another process is at it already")
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=environment(threads),
            pass_fds=(file.fileno(),) if os.name == "posix" else (),
        )  # fmt: skip
    lowest(child.pid)
    children.append(child)
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


def forget() -> None:
    """Remove those that have ended from `children`; polling also reaps them, so that no zombie is left."""
    children[:] = [child for child in children if child.poll() is None]

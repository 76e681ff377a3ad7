"""Identities of processes: a PID can be reused, so an identity also has the process's start and the boot.

Processes in another container or on another machine cannot be found by PID, so each also holds a lock while it lives.

If the system counts ticks since its start (Linux), the clock is not used, so that setting it back has no effect.
"""

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
"""The processes started by this one, which remain zombies until they are waited for."""


class Identity(Strict):
    """The identity of a process.

    Args:
        process: its PID.
        started: its start time in the system's units: on Linux in ticks since the machine's start, else in seconds.
        boot: the identifier of that start of the machine.
    """

    process: int
    started: float
    boot: str

    @property
    def alive(self) -> bool:
        """Whether this exact process is still running, and not a zombie."""
        return self.boot == boot() and started(self.process) == self.started


def own() -> Identity:
    """Return the identity of this process."""
    return Identity(process=os.getpid(), started=started(os.getpid()) or 0.0, boot=boot())


def of(process: int) -> Identity | None:
    """Return the identity of the process with the given PID, or None if there is none."""
    found = started(process)
    return None if found is None else Identity(process=process, started=found, boot=boot())


def boot() -> str:
    """Return an identifier of this start of the machine, which changes with the next start."""
    try:
        return _BOOT.read_text().strip()
    except OSError:  # not on Linux
        return str(round(psutil.boot_time()))


def started(process: int) -> float | None:
    """Return the start of the process with the given PID, as in `Identity`, or None if there is none."""
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
    """Return whether a process holds the lock of a file, in any container, or on any machine that shares the folder.

    Nothing is written, so that this also works in a read-only folder. A file that does not exist, or cannot be opened,
    is not locked.
    """
    try:
        with files.opened(path) as file:
            return not _locked(file, shared=True)
    except OSError:
        return False


def hold(file: IO[bytes]) -> bool:
    """Take the lock of an open file, which processes that inherit the file hold too; return whether this succeeded."""
    until = time.monotonic() + _PATIENCE
    while not (taken := _locked(file, shared=False)) and time.monotonic() < until:
        time.sleep(0.01)  # another process may just be testing the lock
    return taken


def _locked(file: IO[bytes], shared: bool) -> bool:
    """Take the lock of an open file if it is free, and return whether it was; True if there are no locks."""
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
    """Send SIGTERM to a process if it is still the same one, and return whether it was sent."""
    with suppress(psutil.Error):
        found = psutil.Process(identity.process)  # compares start times, so it never signals a new process with this ID
        if identity.alive:
            found.terminate()
            return True
    return False


def spawn(words: list[str], threads: int, log: IO[bytes], alive: Path) -> subprocess.Popen[bytes]:
    """Start a process in a new session, so that it outlives this one. Its output goes to `log`, and it holds the lock
    of the file `alive` while it lives. OSError: another process holds that lock.
    """
    with files.opened(alive, "ab") as file:
        if not hold(file):
            raise BlockingIOError(errno.EAGAIN, "another process is doing this already")
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=environment(threads),
            pass_fds=(file.fileno(),) if os.name == "posix" else (),
        )  # fmt: skip
    lowest(child.pid)
    children.append(child)
    return child


def environment(threads: int) -> dict[str, str]:
    """Return the environment of a background process with the given number of CPU threads."""
    counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    found = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    paths = {"ATTNVIZ_RUNS": str(runs.folder().absolute()), "PYTHONPATH": os.pathsep.join(found)}
    return {**os.environ, **counts, **paths}


def lowest(process: int) -> None:
    """Give a process the lowest priority permanently."""
    with suppress(psutil.Error):  # it may have ended already
        psutil.Process(process).nice(19 if os.name == "posix" else psutil.IDLE_PRIORITY_CLASS)


def forget() -> None:
    """Remove ended processes from `children`; polling also reaps them, so that no zombie is left."""
    for child in [*children]:  # one by one: another thread may add a process meanwhile
        if child.poll() is not None:
            with suppress(ValueError):  # another thread was faster
                children.remove(child)

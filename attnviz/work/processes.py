"""Which process is which: its number can belong to another one later, so its start and the boot stand beside it.

Nothing here goes by the clock where the system counts ticks since its start (Linux): a clock set back changes nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

from attnviz.recipes.recipe import Strict

_BOOT = Path("/proc/sys/kernel/random/boot_id")


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
    except OSError:  # no Linux
        return str(round(psutil.boot_time()))


def started(process: int) -> float | None:
    """Return when a process started, as `Identity` keeps it; None where none of that number runs.

    Args:
        process: its number.
    """
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()  # its name may hold anything
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


def terminate(identity: Identity) -> bool:
    """Ask a process to end by SIGTERM, if it is still that one; return whether it was asked."""
    with suppress(psutil.Error):
        found = psutil.Process(identity.process)  # it holds the start, and signals no other process of that number
        if identity.alive:
            found.terminate()
            return True
    return False

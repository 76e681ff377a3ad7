"""Trials in a file in the search's folder: Optuna's journal, with locks that a dying process releases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from filelock import FileLock, Timeout

from attnviz import files
from attnviz.errors import BadInput, RunError

if TYPE_CHECKING:
    from optuna import Study
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial

_NAME = "search"  # name of the only study in a journal
_PATIENCE = 60  # seconds to wait for the gate or the journal, which are held for milliseconds
_STEP = 0.005  # seconds between two attempts
_LARGEST = 256 * 2**20  # bytes: a quarter of a million trials


class Lock:
    """The lock of a journal, with Optuna's interface. Its holder finds only whole lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_name("journal.lock"), timeout=_PATIENCE, poll_interval=_STEP)

    def acquire(self) -> bool:
        """Take the lock, and cut off an incomplete last line, which a full disk or a power cut can leave: with another
        line after it the journal could never be read again."""
        self._lock.acquire()
        mend(self._path)
        return True

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()


def mend(path: Path) -> None:
    """Cut off an incomplete last line of a file, if the file exists; the caller holds its lock."""
    with suppress(FileNotFoundError), files.regular(path, _LARGEST).open("rb+") as file:
        at = end = file.seek(0, os.SEEK_END)
        while at > 0:
            start = max(0, at - 4096)
            file.seek(start)
            place = file.read(at - start).rfind(b"\n")
            if place >= 0:
                at = start + place + 1
                break
            at = start
        if at < end:
            file.truncate(at)


def alive(home: Path, worker: str) -> bool:
    """Return whether a worker is alive: it holds the lock of its file until it ends, for whatever reason."""
    path = home / "workers" / f"{worker}.lock"
    if not files.is_there(path):
        return False
    try:
        with FileLock(path, blocking=False):
            return False
    except Timeout:
        return True


class Journal:
    """A `Store` of the trials of a search in its folder."""

    def __init__(self, home: Path) -> None:
        self._home, self._path = home, home / "journal.jsonl"
        self._gate = FileLock(home / "gate", timeout=_PATIENCE, poll_interval=_STEP)

    @contextmanager
    def gate(self) -> Iterator[None]:
        """Hold the lock of the search."""
        try:
            with self._gate:
                yield
        except Timeout as error:
            raise RunError(f"Another process holds {self._home / 'gate'}. Try again in a moment.") from error
        except OSError as error:
            raise RunError(f"The search {self._home} cannot be written: {files.reason(error)}.") from error

    def created(self, direction: Literal["maximize", "minimize"]) -> Study:
        """Return the study for a worker, after cutting off an incomplete last line of its journal."""
        with self._readable():
            import optuna

            lock = Lock(self._path)
            lock.acquire()
            lock.release()
            return optuna.create_study(
                study_name=_NAME, storage=self._storage(), load_if_exists=True, direction=direction
            )

    def opened(self) -> Study | None:
        """Return the study for reading only."""
        if not files.is_there(self._path):
            return None
        with self._readable():
            import optuna

            storage = self._storage()
            if not storage.get_all_studies():
                return None
            study = optuna.load_study(study_name=_NAME, storage=storage)
            _ = study.direction  # raises if the study is damaged
            return study

    def dead(self, study: Study, running: list[FrozenTrial]) -> list[FrozenTrial]:
        """Return the running trials whose workers no longer hold their lock."""
        names = {one.number: str(one.user_attrs.get("owner", "")) for one in running}
        living = {name for name in {*names.values()} if name and alive(self._home, name)}
        return [one for one in running if names[one.number] not in living]

    def began(self, study: Study, trial_id: int) -> None:
        """Do nothing: the worker holds a lock."""

    def beating(self, study: Study, trial_id: int) -> AbstractContextManager[None]:
        """Do nothing: the worker holds a lock."""
        return nullcontext()

    def safe(self) -> AbstractContextManager[None]:
        """Do nothing: errors of a journal are reported when it is opened."""
        return nullcontext()

    def remove(self) -> None:
        """Do nothing: the file is removed with its folder."""

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except ImportError as error:
            raise BadInput('A search needs Optuna. Install it: pip install "attnviz[search]"') from error
        except Exception as error:  # Optuna may raise anything for a damaged line
            raise RunError(f"{self._path} cannot be read. Delete the search and start it again.") from error

    def _storage(self) -> BaseStorage:
        import optuna
        from optuna.storages.journal import JournalFileBackend

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with suppress(FileNotFoundError):
            files.regular(self._path, _LARGEST)
        backend = JournalFileBackend(str(self._path), lock_obj=Lock(self._path))  # type: ignore[arg-type] # its base is not public
        return optuna.storages.JournalStorage(backend)

"""Where the trials of a search are kept: a journal in its folder, or for many machines a database."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from attnviz.work.search.wanted import Wanted

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial


class Store(Protocol):
    """What holds the study of one search. All of it raises RunError where it cannot be read or written, and BadInput
    where a package is missing."""

    def gate(self) -> AbstractContextManager[None]:
        """Hold the lock behind which all is done that must not happen twice."""

    def created(self, direction: Literal["maximize", "minimize"]) -> Study:
        """Return the study for a worker, a new one if there is none. The caller is behind the gate."""

    def opened(self) -> Study | None:
        """Return the study for reading only; None where no worker has begun it."""

    def dead(self, study: Study, running: list[FrozenTrial]) -> list[FrozenTrial]:
        """Return those of the running trials whose workers are dead. The caller is behind the gate.

        A trial without owner belongs to nobody but one who died behind the gate.
        """

    def began(self, study: Study, trial_id: int) -> None:
        """Say for the first time that the worker of a trial lives, before the trial gets its owner."""

    def beating(self, study: Study, trial_id: int) -> AbstractContextManager[None]:
        """Say again and again that the worker of a trial lives."""

    def safe(self) -> AbstractContextManager[None]:
        """Turn whatever goes wrong with the storage inside into one sentence."""

    def remove(self) -> None:
        """Remove the study, where it does not go with the folder of the search."""


def store(home: Path, wanted: Wanted) -> Store:
    """Return where a search keeps its trials."""
    if wanted.storage:
        from attnviz.work.search.database import Database

        return Database(wanted.storage, wanted.id)
    from attnviz.work.search.journal import Journal

    return Journal(home)

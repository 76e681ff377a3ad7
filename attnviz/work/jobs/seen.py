"""All jobs at a glance, read from their folders once a second for all who watch them."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from attnviz.errors import AttnvizError
from attnviz.recipes.recipe import Recipe
from attnviz.work.jobs import progress, table
from attnviz.work.jobs.order import Order
from attnviz.work.jobs.progress import Progress
from attnviz.work.jobs.table import State

AGAIN = 1.0
"""Seconds for which what was seen is good enough."""


@dataclass(frozen=True)
class Seen:
    """A job at some moment.

    Args:
        job: its name.
        state: how it stands.
        runs: of its seeds that have begun.
        order, recipe, progress: None where its order can no longer be read; `trouble` then says why.
        trouble: a sentence, or "".
    """

    job: str
    state: State
    runs: tuple[str, ...] = ()
    order: Order | None = None
    recipe: Recipe | None = None
    progress: Progress | None = None
    trouble: str = ""

    @property
    def lives(self) -> bool:
        """Whether it trains or waits."""
        return self.state.word in ("running", "waiting")


_lock = threading.Lock()
_last: list[tuple[float, tuple[Seen, ...]]] = []


def look() -> tuple[Seen, ...]:
    """Start the job that is next, and return all that there are: those that live first."""
    with _lock:
        if _last and time.monotonic() - _last[0][0] < AGAIN:
            return _last[0][1]
        table.tend()
        found = []
        for job in table.ids():
            with suppress(AttnvizError):  # deleted a moment ago
                found.append(_seen(job))
        found.sort(key=lambda one: (not one.lives, one.state.place))
        _last[:] = [(time.monotonic(), tuple(found))]
        return _last[0][1]


def again() -> None:
    """Look anew at the next opportunity: something was started, stopped or deleted."""
    with _lock:
        _last.clear()


def _seen(job: str) -> Seen:
    state = table.state(job)
    try:
        order = table.read(job)
        return Seen(job, state, tuple(table.runs_of(job)), order, order.made(), progress.of(job))
    except AttnvizError as error:
        return Seen(job, state, trouble=str(error))

"""The status of all jobs, read from their folders once a second for all viewers."""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from attnviz.errors import AttnvizError
from attnviz.recipes.recipe import Recipe
from attnviz.training import runs
from attnviz.work.jobs import table
from attnviz.work.jobs.order import Order
from attnviz.work.jobs.table import State

AGAIN = 1.0
"""Seconds for which the last look is reused."""


@dataclass(frozen=True)
class Progress:
    """The progress of a job.

    Args:
        share: the finished share of all epochs of all seeds, 0..1; a training that stops early never reaches 1.
        seed: the seed in training, or the last one.
        epoch: the number of its finished epochs.
        epochs: the maximum number of epochs of each seed.
        seconds: the maximum remaining time, estimated from the epochs so far; None before the first is finished.
    """

    share: float
    seed: int
    epoch: int
    epochs: int
    seconds: float | None


@dataclass(frozen=True)
class Seen:
    """A job at one moment.

    Args:
        job: its name.
        state: its state.
        runs: the runs of its started seeds.
        order, recipe, progress: None if its order can no longer be read; `trouble` then gives the reason.
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
        """Whether it is training or waiting."""
        return self.state.word in ("running", "waiting")


_lock = threading.Lock()
_last: list[tuple[float, tuple[Seen, ...]]] = []


def look() -> tuple[Seen, ...]:
    """Start the next job, and return all jobs, beginning with those that are training or waiting."""
    with _lock:
        if _last and time.monotonic() - _last[0][0] < AGAIN:
            return _last[0][1]
        table.tend()
        found = []
        for job in table.ids():
            with suppress(AttnvizError):  # it has just been deleted
                found.append(_seen(job))
        found.sort(key=lambda one: (not one.lives, one.state.place))
        _last[:] = [(time.monotonic(), tuple(found))]
        return _last[0][1]


def again() -> None:
    """Make the next call of `look` read the folders, after something was started, stopped or deleted."""
    with _lock:
        _last.clear()


def _seen(job: str) -> Seen:
    state = table.state(job)
    try:
        order = table.read(job)
        return Seen(job, state, tuple(table.runs_of(job)), order, order.made(), progress_of(job))
    except AttnvizError as error:
        return Seen(job, state, trouble=str(error))


def progress_of(job: str) -> Progress:
    """Return the progress of a job, read from the folders of its runs."""
    order = table.read(job)
    epochs = order.made().epochs
    done, seed, epoch, took = 0.0, order.seeds[0], 0, []
    for run in table.runs_of(job):
        status = runs.status(run)
        seed, epoch = runs.read(run).seed, len(runs.curve(run))
        finished = status.get("state") == "finished"
        share = status.get("share")
        done += epochs if finished else epoch + (share if isinstance(share, float) and 0 <= share <= 1 else 0.0)
        took += [one.seconds for one in runs.durations(run)]
    total = epochs * len(order.seeds)
    left = None if not took else (total - done) * sum(took) / len(took)
    return Progress(min(1.0, done / total), seed, epoch, epochs, left)

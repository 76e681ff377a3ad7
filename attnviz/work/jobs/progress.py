"""How far a job is, read from the folders of its runs."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.training import runs
from attnviz.work.jobs import table


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    Args:
        share: of all epochs of all seeds, 0..1; a training that stops early is at its end before.
        seed: the one in training, or the last.
        epoch: so many of it are done.
        epochs: so many each seed trains, at most.
        seconds: that are left at most, going by the epochs so far; None before the first is done.
    """

    share: float
    seed: int
    epoch: int
    epochs: int
    seconds: float | None


def of(job: str) -> Progress:
    """Return how far a job is.

    Args:
        job: one of `table.ids()`.
    """
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

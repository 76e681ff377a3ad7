"""Which jobs there are, what each was asked for, and its runs."""

from __future__ import annotations

import json
from contextlib import suppress

from attnviz import files
from attnviz.errors import RunError, UnknownName
from attnviz.training import runs
from attnviz.work.folders import LARGEST, Folders
from attnviz.work.jobs.order import Order

BORROWED = "borrowed.json"
"""The file in a job's folder that names the runs that it found and that belonged to nobody."""

JOBS = Folders(Order, "job", ".jobs", "order.json")
folder, ids, read = JOBS.folder, JOBS.ids, JOBS.read


def runs_of(job: str, *, borrowed: bool = True) -> list[str]:
    """Return the runs of a job, one for each of its seeds that has begun, in the order of the seeds. `borrowed` also
    counts those that were there before it and belonged to nobody.
    """
    lent = set() if borrowed else _borrowed(job)
    return [run for run in runs_for(read(job)) if run not in lent]


def runs_for(order: Order) -> list[str]:
    """Return the runs that an order has begun, in the order of its seeds."""
    recipe, found = order.made(), {}
    for run in runs.ids():
        if run.startswith(f"{order.model}.{order.recipe}."):
            with suppress(RunError, UnknownName):
                info = runs.read(run)
                if info.device == order.device and info.recipe.trains_like(recipe):
                    found[info.seed] = run
    return [found[seed] for seed in order.seeds if seed in found]


def _borrowed(job: str) -> set[str]:
    """Return the runs that a job found; of one that an earlier version started, none are known."""
    with suppress(OSError, ValueError, TypeError):
        return set(json.loads(files.read(folder() / job / BORROWED, LARGEST)))
    return set()

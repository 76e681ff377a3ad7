"""The table of jobs: starting, finding, stopping, resuming and deleting them.

one = table.start(Order(model="pixel_attention", recipe="1v8", changes={"data": "strokes", "epochs": "6"}))
table.state(one).sentence          # "It is training."; may be called any number of times
table.stop(one); table.resume(one); table.delete(one)
"""

import errno
import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from attnviz import files
from attnviz.checkpoint_folder import is_name
from attnviz.errors import BadInput, RunError, UnknownName
from attnviz.training import runs
from attnviz.work import processes, shelf
from attnviz.work.folders import identity, last_words
from attnviz.work.jobs import cluster, submissions
from attnviz.work.jobs import order as orders
from attnviz.work.jobs.order import Limits, Order
from attnviz.work.processes import Identity
from attnviz.work.shelf import JOBS

WAITING = 8
"""The maximum number of waiting jobs."""

MOST = 100
"""The maximum number of jobs; finished ones count until they are deleted."""

_OF_ALL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # errors that affect every job, not only one with a bad folder

_log = logging.getLogger(__name__)

_STOPPED = re.compile(r"(The (minutes|epochs) that it was given are (over|done)\. )?Stopped")

Word = Literal["running", "waiting", "finished", "stopped", "failed", "interrupted"]


@dataclass(frozen=True)
class State:
    """The state of a job.

    Args:
        word: the state; an "interrupted" job has neither finished nor been stopped.
        sentence: the state in a sentence.
        place: its position in the queue, from 1, or 0 if it is not waiting.
    """

    word: Word
    sentence: str
    place: int = 0


folder, ids, read, runs_of = JOBS.folder, JOBS.ids, JOBS.read, shelf.runs_of_job


def start(order: Order, most: Limits | None = None) -> str:
    """Start or queue a training, or continue an earlier one; return its job's name, the same for the same order."""
    order = orders.checked(order, most or orders.limits())
    if order.cluster is not None:
        cluster.address(order.cluster)
    job = order.id
    if not is_name(job):
        raise BadInput("A job is named after its recipe, whose name is too long.")
    with _alone():
        if job not in (there := ids()) and len(there) >= MOST:
            raise BadInput(f"There are {MOST} jobs already. Delete one that you no longer need.")
        if _alive(job) or job in _queue():
            return job
        if len(queue := _queue()) >= WAITING:
            raise BadInput(f"{len(queue)} trainings are waiting already, which is the most. Try again later.")
        if job not in there:
            _note_borrowed(order)
        submissions.begin(order, JOBS.write(order))
        numbers = [int(path.name.partition(".")[0]) for path in _waiting()]
        (folder() / "queue" / f"{max(numbers, default=0) + 1:08d}.{job}").touch()  # not a time: clocks can be set back
        _start_next()
    return job


def resume(job: str, most: Limits | None = None, more: int | None = None, minutes: float | None = None) -> None:
    """Resume or queue a job from its last complete epoch. It stops again after `more` epochs (None: all) or `minutes`
    (None: as when it was started).
    """
    before = read(job)
    if minutes is None and most != orders.NONE:
        minutes = before.minutes
    start(Order.read({**before.model_dump(), "more": more, "minutes": minutes}), most)


def stop(job: str) -> None:
    """Stop a job after its current batch, or remove it from the queue; the next one starts automatically."""
    home = JOBS.home(job)
    with _alone():
        for path in _waiting():
            if path.name.partition(".")[2] == job:
                path.unlink()
        if submissions.lives(home):
            submissions.stop(read(job), home, runs_of(job))
            return
        asked = [processes.terminate(one) for one in _witnesses(job)]
        if any(asked):  # a process that has just started may not record that it was stopped
            files.write(folder() / job / "stopped", "")
        elif _alive(job):
            raise BadInput("This training runs in another container or on another machine. Stop it there.")


def delete(job: str) -> None:
    """Remove a job and its runs, except runs shared with another job or a search, runs that existed before it and
    belonged to nobody, such as runs of `train`, and kept models.
    """
    JOBS.home(job)
    with _alone():
        if _alive(job) or job in _queue():
            raise BadInput("This training is running or waiting. Stop it first.")
        own = []
        with suppress(RunError, BadInput, UnknownName):
            own = shelf.alone_of(job, runs_of(job, borrowed=False))
        JOBS.remove(job, own)


def tend() -> None:
    """Start the next waiting job if its device is free or a cluster has room for it, and requeue one whose node has
    died. Call this before showing jobs.

    If the folder of jobs is read-only, nothing is started: another server with write access does it.
    """
    processes.forget()
    if not os.access(folder(), os.W_OK):
        return
    for job, order in _submitted():
        home, its_runs = folder() / job, []
        with suppress(RunError, BadInput, UnknownName):  # its training pictures may be gone
            its_runs = shelf.runs_for(order)
        if (attempt := submissions.may_have_ended(order, home, its_runs)) is not None:
            with _alone():
                if submissions.settle(order, home, attempt, runs_of(job)):
                    (folder() / "queue" / f"{0:08d}.{job}").touch()
    if _waiting():
        with _alone():
            _start_next()


def state(job: str) -> State:
    """Return the state of a job, from the files of its processes."""
    home = JOBS.home(job)
    if _alive(job):
        return State("running", submissions.sentence(job) or "It is training.")
    if job in (queue := _queue()):
        place = queue.index(job) + 1
        waits = "It waits for the training before it"
        if submissions.read(home) is not None:
            waits = " ".join(filter(None, [submissions.sentence(job), "It waits"]))
        return State("waiting", f"{waits}, at place {place} of {len(queue)}.", place)
    with suppress(RunError, BadInput, UnknownName):
        order = read(job)
        statuses = [runs.status(run) for run in runs_of(job)]
        if [one.get("state") for one in statuses] == ["finished"] * len(order.seeds):
            return State("finished", "It is finished.")
    told = last_words(home / "log.txt")
    if told is not None and _STOPPED.match(told):
        return State("stopped", told)
    if told is not None:
        return State("failed", told)
    if (home / "stopped").exists():
        return State("stopped", "It was stopped, and can be resumed.")
    if (ended := submissions.ended(home)) is not None:
        return State("interrupted", ended)
    before = identity(home / "process.json")
    if before is None:
        return State("stopped", "It has not begun.")
    if before.boot != processes.boot():
        return State("interrupted", "The machine was restarted during the training. It can be resumed.")
    return State(
        "interrupted", "It ended without an error message: it was killed, or memory or disk ran out. It can be resumed."
    )


def _note_borrowed(order: Order) -> None:
    """Record the existing runs of a new job that belong to nobody. The caller holds the lock."""
    if not (found := shelf.runs_for(order)):
        return
    others = shelf.runs_of_others(order.id, borrowed=False)
    home = folder() / order.id
    home.mkdir(exist_ok=True)
    files.write(home / shelf.BORROWED, json.dumps([run for run in found if others is None or run not in others]) + "\n")


def _waiting() -> list[Path]:
    with suppress(OSError):
        found = (folder() / "queue").iterdir()
        return sorted(one for one in found if one.name.partition(".")[0].isdecimal() and is_name(one.name[9:]))
    return []


def _queue() -> list[str]:
    return [path.name.partition(".")[2] for path in _waiting()]


def _witnesses(job: str) -> Iterator[Identity]:
    """Yield the processes that may be training a job: those started for it, and those named in its runs."""
    if (found := identity(folder() / job / "process.json")) is not None:
        yield found
    with suppress(RunError, BadInput, UnknownName):
        for run in runs_of(job):
            with suppress(ValidationError):
                if (status := runs.status(run)).get("state") != "running":
                    continue
                yield Identity.model_validate({name: status.get(name) for name in Identity.model_fields})


def _alive(job: str) -> bool:
    if submissions.read(home := folder() / job) is not None:
        return submissions.lives(home)  # the processes named in its runs are on other machines
    if any(one.alive for one in _witnesses(job)) or processes.is_locked(home / "alive"):
        return True
    with suppress(RunError, BadInput, UnknownName):  # the process training one of its runs may be in another container
        return any(submissions.is_trained(run) for run in runs_of(job) if runs.status(run).get("state") == "running")
    return False


def _submitted() -> list[tuple[str, Order]]:
    """Return the jobs on clusters, with their orders."""
    found = []
    for job in ids():
        if submissions.lives(folder() / job):
            with suppress(RunError, UnknownName):
                found.append((job, read(job)))
    return found


def _start_next() -> None:
    """Start the waiting jobs whose device is free. The caller holds the lock."""
    handed = [(order.cluster, folder() / job) for job, order in _submitted()]
    busy = set()
    for job in ids():
        if _alive(job) and not submissions.lives(folder() / job):
            with suppress(RunError):
                busy.add(read(job).device)
    for path in _waiting():
        job = path.name.partition(".")[2]
        try:
            order = read(job)
        except (RunError, UnknownName):
            path.unlink()  # its order is unreadable
            continue
        if order.cluster is not None:
            if submissions.submit(order, folder() / job, handed):
                handed.append((order.cluster, folder() / job))
                path.unlink()
        elif order.device not in busy:
            busy.add(order.device)
            try:
                _popen(order, folder() / job)
            except OSError as error:
                if error.errno in _OF_ALL:
                    raise
                _log.warning("The job %s cannot be started: %s", job, files.reason(error))
            path.unlink()


def _popen(order: Order, home: Path) -> None:
    for name in ("process.json", "stopped", "log.txt"):  # whatever they are: opening a pipe would block
        (home / name).unlink(missing_ok=True)
    with files.opened(home / "log.txt", "wb") as log:
        try:
            child = processes.spawn(order.words(), order.threads, log, home / "alive")
        except OSError as error:
            log.write(f"The training could not be started: {files.reason(error)}.\n".encode())
            return
    if (own := processes.of(child.pid)) is not None:
        files.write(home / "process.json", own.model_dump_json() + "\n")


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of all jobs."""
    with JOBS.alone():
        (folder() / "queue").mkdir(exist_ok=True)
        yield

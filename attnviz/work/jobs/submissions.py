"""Jobs on a cluster, which are submitted when a node has room, and again if that node has died.

    runs/.jobs/ID/cluster.json    the number of the attempt, and whether it is over

The folders of the runs are authoritative, not Ray, which forgets everything when its head dies, or reports killed jobs
as running. A run is being trained while a process holds its lock. Only if none does is it submitted again, under the
next name, and it resumes from its last complete epoch. Nothing here runs in the background: it is done by each look at
the jobs, in the app or with `python -m attnviz jobs watch`.
"""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from attnviz import files
from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes.recipe import Strict
from attnviz.training import runs
from attnviz.work import processes
from attnviz.work.folders import LARGEST, last_words
from attnviz.work.jobs.cluster import PLACE, Cluster, Unreachable, address
from attnviz.work.jobs.order import Order

PYTHON = "ATTNVIZ_CLUSTER_PYTHON"
"""Environment variable: the interpreter on the nodes; by default the path of the submitting one."""

LOST = 20
"""The maximum number of resubmissions of a job because its node died."""

FAILED = 1
"""The maximum number of resubmissions of a job because it ended without a message."""

QUIET = 300.0
"""Seconds without changes in its folders after which a job that Ray reports as running is considered dead."""

_AGAIN = 2.0  # seconds between two checks of one submission
_SETTLE = 8.0  # seconds after a submission until the head reports what it has reserved
_STOP_WAIT = 60  # seconds from SIGTERM to SIGKILL: time for a batch, and for finishing a file
_FILE = "cluster.json"
_ELSEWHERE = "Another process is training"  # the start of the error message for a locked run
# A head stores these unencrypted and shows them to anybody who asks, so they must not contain secrets.
_TOLD = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONPATH",
    "ATTNVIZ_RUNS", "ATTNVIZ_DATA", "ATTNVIZ_CHECKPOINTS", "ATTNVIZ_KEPT",
)  # fmt: skip
_NODE = "JOB_ENTRYPOINT"  # prefix of the error types that are not a node's fault

_looked: dict[str, float] = {}  # job -> time of the last check
_said: dict[str, str] = {}  # job -> a sentence about its status
_signs: dict[str, tuple[object, float]] = {}  # job -> (last sign of life, time at which it changed)


class Submission(Strict):
    """The last submission of a job: the number of the attempt, 0 before the first, whether it is over, and how many
    earlier attempts were lost with a node, or failed without a message.
    """

    attempt: int = 0
    over: bool = True
    lost: int = 0
    failed: int = 0


def read(home: Path) -> Submission | None:
    """Return the last submission of the job in a folder, or None if it was never meant for a cluster."""
    with suppress(OSError, ValidationError):
        return Submission.model_validate_json(files.read(home / _FILE, LARGEST), strict=False)
    return None


def lives(home: Path) -> bool:
    """Return whether the job in a folder was submitted and is not known to have ended."""
    found = read(home)
    return found is not None and not found.over


def begin(order: Order, home: Path) -> None:
    """Record, before a job waits, whether it is meant for a cluster. The caller holds the lock of all jobs."""
    _said.pop(order.id, None)
    if order.cluster is None:
        (home / _FILE).unlink(missing_ok=True)
    else:
        _write(home, Submission(attempt=(read(home) or Submission()).attempt))


def submit(order: Order, home: Path, alive: Sequence[tuple[str | None, Path]]) -> bool:
    """Submit a job to its cluster if a node has room for it, and return whether it did; if not, `sentence` says why.

    The caller holds the lock of all jobs. `alive` holds the clusters and folders of all submitted jobs that have not
    ended.
    """
    try:
        for other, folder in alive:  # their resources may not be reported as reserved yet
            if other == order.cluster and abs(time.time() - (folder / _FILE).stat().st_mtime) < _SETTLE:
                return False
        cluster = _cluster(order)
        gpus = int(order.device == "cuda")
        if not any(room.cpus >= order.threads and room.gpus >= gpus for room in cluster.free()):
            _said[order.id] = "No node of the cluster has room for it."
            return False
        before = read(home) or Submission()
        attempt = before.attempt + 1
        while cluster.look(_name(order.id, attempt)) is not None:  # left by a job that was deleted here
            attempt += 1
        for name in ("process.json", "stopped"):
            (home / name).unlink(missing_ok=True)
        _write(home, before.model_copy(update={"attempt": attempt, "over": False}))
        words = [os.environ.get(PYTHON) or sys.executable, "-m", "attnviz", "jobs", "work", order.id]
        cluster.submit(_name(order.id, attempt), words, _environment(order), order.threads, gpus)
    except (OSError, AttnvizError) as error:
        _said[order.id] = str(error)
        return lives(home)
    _said.pop(order.id, None)
    return True


def may_have_ended(order: Order, home: Path, its_runs: Sequence[str]) -> int | None:
    """Return the attempt of a job that may have ended, or None if there is none, or it has just been checked."""
    now = time.monotonic()
    found = read(home)
    if found is None or found.over or now - _looked.get(order.id, -_AGAIN) < _AGAIN:
        return None
    _looked[order.id] = now
    try:
        look = _cluster(order).look(_name(order.id, found.attempt))
    except AttnvizError as error:
        _said[order.id] = f"{error} It may still be training."
        return None
    if look is None or not look.lives:
        return found.attempt
    waits = "It has been submitted to the cluster, and has not begun yet."
    _said[order.id] = waits if look.status == "PENDING" else "It is training on the cluster."
    sign = [
        files.stamp(path) for path in (home / "log.txt", *(runs.folder() / run / "status.json" for run in its_runs))
    ]
    if _signs.get(order.id, (None, 0.0))[0] != sign:
        _signs[order.id] = sign, now
    quiet = look.status == "RUNNING" and now - _signs[order.id][1] > QUIET
    return found.attempt if quiet else None


def settle(order: Order, home: Path, attempt: int, its_runs: Sequence[str]) -> bool:
    """Record the end of an attempt, if it has ended, and return whether to submit the job again. The caller holds the
    lock of all jobs.
    """
    found = read(home)
    if found is None or found.over or found.attempt != attempt:  # another process has already noticed it
        return False
    name = _name(order.id, found.attempt)
    try:
        look = _cluster(order).look(name)
        if any(is_trained(run) for run in its_runs):  # Ray may report the end too early, or have forgotten the job
            return False
        if look is not None and look.lives:
            _cluster(order).stop(name)
    except AttnvizError as error:
        _said[order.id] = str(error)
        return False
    told = last_words(home / "log.txt") or ""
    lost = look is None or look.lives or not (look.error.startswith(_NODE) or look.status != "FAILED")
    lost = lost or told.startswith(_ELSEWHERE)
    done = [runs.status(run).get("state") for run in its_runs] == ["finished"] * len(order.seeds)
    again = not done and not (home / "stopped").exists()
    silent = look is not None and look.status == "FAILED" and not told
    again = again and (found.lost < LOST if lost else silent and found.failed < FAILED)
    counts = {"lost": found.lost + 1} if lost else {"failed": found.failed + 1}
    _write(home, found.model_copy(update={"over": True, **counts}))
    _said[order.id] = "Its node died. It continues as soon as another node has room." if again and lost else ""
    return again


def stop(order: Order, home: Path, its_runs: Sequence[str]) -> None:
    """Stop a job on a cluster; if this raises Unreachable, it still trains. The caller holds the lock of all jobs."""
    found = read(home) or Submission()
    was_stopped = (home / "stopped").exists()
    files.write(home / "stopped", "")
    try:
        try:
            _cluster(order).stop(_name(order.id, found.attempt))
        except Unreachable:
            if any(is_trained(run) for run in its_runs):
                raise
            _write(home, found.model_copy(update={"over": True}))
    except AttnvizError:
        if not was_stopped:  # it continues, so it must be resubmitted if its node dies
            (home / "stopped").unlink(missing_ok=True)
        raise


def sentence(job: str) -> str:
    """Return a sentence on the status of a job on a cluster, or "" if this process has not looked at it."""
    return _said.get(job, "")


def ended(home: Path) -> str | None:
    """Return a sentence on a submitted job that ended without a message, or None for any other job."""
    found = read(home)
    if found is None or not found.attempt or not found.over:
        return None
    return f"It ended on the cluster without an error message, after {found.attempt} attempts. It can be resumed."


def device(word: str, cluster: str) -> str:
    """Return "cpu" or "cuda" for a device name of the command line, on a cluster."""
    if word not in ("auto", "cpu", "cuda"):
        raise BadInput(f"The device must be auto, cpu or cuda, not {word!r}.")
    has_gpu = word != "cpu" and Cluster(address(cluster)).has_gpu()
    if word == "cuda" and not has_gpu:
        raise BadInput("No node of the cluster has a GPU. Use --device cpu, or auto.")
    return "cuda" if has_gpu else "cpu"


def here(order: Order) -> Order:
    """Return the app's order, for the cluster in `ATTNVIZ_CLUSTER`, if it is set."""
    if not (at := os.environ.get(PLACE)):
        return order
    at = address(at)
    return order.model_copy(update={"cluster": at, "device": device("auto", at)})


def _cluster(order: Order) -> Cluster:
    return Cluster(address(order.cluster or ""))


def _name(job: str, attempt: int) -> str:
    return f"{job}.{attempt}"


def _write(home: Path, submission: Submission) -> None:
    files.write(home / _FILE, submission.model_dump_json() + "\n")


def _environment(order: Order) -> dict[str, str]:
    """Return the environment of a job on a node, whose folders have the same paths as here."""
    here = processes.environment(order.threads)
    told = {name: here[name] for name in _TOLD if name in here}
    return {**told, "RAY_JOB_STOP_WAIT_TIME_S": str(_STOP_WAIT)}


def is_trained(run: str) -> bool:
    """Return whether a run is being trained, in any container or on any machine."""
    return processes.is_locked(runs.folder() / run / "lock")

"""Long-running jobs for the app: in their own threads, never a page's, with progress, and resumable after a stop.

    job = jobs.job(key, step, count)          # the same one for every caller with that key
    job.start()                               # begins, or resumes after a stop
    job.parts()                               # the parts computed so far, in order; a page polls this job.stop()

A job consists of parts, each computed by one call, in a queue that serves live answers and pages first. A job that no
page has polled for a while stops and keeps its parts.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Condition, Lock, Thread
from typing import Any, Generic, TypeVar, cast

from attnviz.work.queue import QUEUE, Kind

T = TypeVar("T")

MOST = 32
"""The maximum number of jobs kept; the least recently polled of those not running are dropped first."""

ALONE = 20.0
"""Seconds after which a job that no page polls stops; a page that shows a job polls it several times a second."""

_log = logging.getLogger(__name__)
_jobs: OrderedDict[Hashable, Job[Any]] = OrderedDict()
_table = Lock()


class Job(Generic[T]):
    """A job of `count` parts; `step` computes one part at a time, in order, in a thread."""

    def __init__(self, step: Callable[[int], T], count: int) -> None:
        self.step, self.count = step, count
        self._parts: list[T] = []
        self._error: Exception | None = None
        self._wanted = False
        self._thread: Thread | None = None
        self._looked = time.monotonic()
        self._changed = Condition()

    def start(self) -> None:
        """Begin, or resume after a stop or a failure; do nothing if the job is running or finished."""
        with self._changed:
            self._wanted, self._looked = True, time.monotonic()
            if self._thread is None and len(self._parts) < self.count:
                self._error = None
                self._thread = Thread(target=self._run, name="attnviz-job", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop after the current part."""
        with self._changed:
            self._wanted = False

    def parts(self) -> list[T]:
        """Return the parts computed so far, or raise the error that ended the job; `start` then retries it."""
        with self._changed:
            self._looked = time.monotonic()
            if self._error is not None:
                raise self._error
            return list(self._parts)

    def wait(self, count: int, seconds: float) -> bool:
        """Wait until `count` parts are done or the job stops, at most `seconds`; return whether they are done."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._parts) >= count or self._thread is None, seconds)
            return len(self._parts) >= count

    @property
    def finished(self) -> bool:
        """Whether all parts have been computed."""
        return len(self._parts) == self.count

    @property
    def running(self) -> bool:
        """Whether parts are being computed."""
        return self._thread is not None

    def _run(self) -> None:
        while self._goes_on():
            try:
                with QUEUE.turn(Kind.LONG):
                    part = self.step(len(self._parts))
            except Exception as error:
                _log.exception("Part %d of a job failed", len(self._parts))
                with self._changed:
                    self._error, self._wanted = error, False
                continue
            with self._changed:
                self._parts.append(part)
                self._changed.notify_all()

    def _goes_on(self) -> bool:
        with self._changed:
            alone = time.monotonic() - self._looked > ALONE
            if self._wanted and not alone and len(self._parts) < self.count:
                return True
            self._thread = None
            self._changed.notify_all()
            return False


def job(key: Hashable, step: Callable[[int], T], count: int) -> Job[T]:
    """Return the job with the given key, creating it if there is none."""
    with _table:
        found = _jobs.setdefault(key, Job(step, count))
        _jobs.move_to_end(key)
        for old in [other for other, one in _jobs.items() if not one.running][: max(0, len(_jobs) - MOST)]:
            if old != key:
                del _jobs[old]
    return cast(Job[T], found)

"""Long work for the app: in threads of its own and never in a page's, with progress, to be stopped and resumed.

    job = jobs.job(key, step, count)          # the same one for every caller with that key
    job.start()                               # begins, or goes on where it was stopped
    job.parts()                               # what there is, in order; a page draws it again and again
    job.stop()

A job is a number of parts, each computed by one call, in a turn of the queue that live answers and pages go through
before it. A job that no page has looked at for a while stops by itself, and keeps its parts.
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
"""Jobs that are kept; of those that do not run, the ones that were looked at longest ago go first."""

ALONE = 20.0
"""Seconds after which a job that nobody looks at stops: a page that shows one looks several times a second."""

_log = logging.getLogger(__name__)
_jobs: OrderedDict[Hashable, Job[Any]] = OrderedDict()
_table = Lock()


class Job(Generic[T]):
    """Some work in so many parts; `step` computes one, in a thread, one after the other."""

    def __init__(self, step: Callable[[int], T], count: int) -> None:
        self.step, self.count = step, count
        self._parts: list[T] = []
        self._error: Exception | None = None
        self._wanted = False
        self._thread: Thread | None = None
        self._looked = time.monotonic()
        self._changed = Condition()

    def start(self) -> None:
        """Begin, or go on where it was stopped or failed; nothing happens where it runs or is finished."""
        with self._changed:
            self._wanted, self._looked = True, time.monotonic()
            if self._thread is None and len(self._parts) < self.count:
                self._error = None
                self._thread = Thread(target=self._run, name="attnviz-job", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop after the part that is being computed."""
        with self._changed:
            self._wanted = False

    def parts(self) -> list[T]:
        """Return the parts that are computed, or raise what ended the job; `start` tries that part again."""
        with self._changed:
            self._looked = time.monotonic()
            if self._error is not None:
                raise self._error
            return list(self._parts)

    def wait(self, count: int, seconds: float) -> bool:
        """Wait until there are so many parts, or the job no longer runs; return whether they are there."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._parts) >= count or self._thread is None, seconds)
            return len(self._parts) >= count

    @property
    def finished(self) -> bool:
        """Whether all parts are there."""
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
    """Return the job of a key, made where there is none."""
    with _table:
        found = _jobs.setdefault(key, Job(step, count))
        _jobs.move_to_end(key)
        for old in [other for other, one in _jobs.items() if not one.running][: max(0, len(_jobs) - MOST)]:
            if old != key:
                del _jobs[old]
    return cast(Job[T], found)

"""Ending a training early: after the current batch, by SIGTERM or a time limit, or after a number of epochs.

    with stopping.terminable():
        for event in stopping.heeding(run.train(training), Until(epochs=1)):
            ...                                  # raises Terminated after the event at which it was noticed

The unfinished epoch is lost; the epochs before it are in the run's folder.
"""

import signal
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

from attnviz.training.progress import Epoch

Event = TypeVar("Event")


class Terminated(KeyboardInterrupt):
    """A training was ended, but not from the keyboard; the message gives the reason, or is empty."""


@dataclass
class Until:
    """The limits of a training: a time of `time.monotonic` in seconds, and a number of further epochs of any seed,
    which is counted down; None for no limit.
    """

    deadline: float | None = None
    epochs: int | None = None

    def check(self, event: object) -> None:
        """Raise Terminated if a limit is reached."""
        if isinstance(event, Epoch) and self.epochs is not None:
            self.epochs -= 1
            if self.epochs <= 0:
                raise Terminated("The epochs that it was given are done.")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Terminated("The minutes that it was given are over.")


class _Asked:
    """The shared state of the signal handler and the loop."""

    def __init__(self) -> None:
        self.waits = False  # whether a loop is running that checks after each batch
        self.asked = False


_now = _Asked()


@contextmanager
def terminable() -> Iterator[None]:
    """Convert SIGTERM into `Terminated` inside the block: after the batch in `heeding`, elsewhere at once.

    Outside the main thread, which alone receives signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _now.asked = False
    before = signal.signal(signal.SIGTERM, _heard)
    try:
        yield
    finally:
        _now.asked = False
        signal.signal(signal.SIGTERM, before)


def heeding(events: Iterable[Event], until: Until | None = None) -> Generator[Event, None, None]:
    """Pass on events, and after each of them check whether SIGTERM has arrived or a limit of `until` is reached."""
    until = until or Until()
    _now.waits = True
    try:
        for event in events:
            yield event
            if _now.asked:
                raise Terminated
            until.check(event)
    finally:
        _now.waits = False
        if isinstance(events, Generator):
            events.close()  # releases the run's lock now, not when the traceback is deleted


def _heard(number: int, frame: FrameType | None) -> None:
    _now.asked = True
    if not _now.waits:
        raise Terminated

"""How a training ends early: by SIGTERM or as its minutes are over, after the batch that it is in; or after
so many epochs.

    with stopping.terminable():
        for event in stopping.heeding(run.train(training), Until(epochs=1)):
            ...                                  # ends with Terminated after the event at which it was noticed

What an epoch in progress has learnt is lost; the epochs before it are in the run's folder.
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
    """Somebody other than the keyboard ended a training; the message says who, or is empty."""


@dataclass
class Until:
    """When a training ends by itself before it is finished: at seconds of `time.monotonic`, or after so many more
    epochs, whatever their seeds, which it counts down; None for neither.
    """

    deadline: float | None = None
    epochs: int | None = None

    def check(self, event: object) -> None:
        """Raise where it is time to end."""
        if isinstance(event, Epoch) and self.epochs is not None:
            self.epochs -= 1
            if self.epochs <= 0:
                raise Terminated("The epochs that it was given are done.")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Terminated("The minutes that it was given are over.")


class _Asked:
    """What the signal handler and the loop tell each other."""

    def __init__(self) -> None:
        self.waits = False  # a loop is going on, which looks after each batch
        self.asked = False


_now = _Asked()


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM into `Terminated` inside the block: after the batch in `heeding`, elsewhere at once.

    Outside the main thread, where Python takes no signals, nothing changes.
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
    """Pass events on until the process is asked to end, or `until` is over, which is noticed after each of them."""
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
            events.close()  # it lets the run's lock go now, and not when the traceback is forgotten


def _heard(number: int, frame: FrameType | None) -> None:
    _now.asked = True
    if not _now.waits:
        raise Terminated

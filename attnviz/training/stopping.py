"""How a training ends when it is asked to, by SIGTERM or because its minutes are over: after the batch that it is in.

    with stopping.terminable():
        for event in stopping.heeding(run.train(training), minutes=10):
            ...                                  # ends with Terminated after the event at which it was noticed

What an epoch in progress has learnt is lost; the epochs before it are in the run's folder.
"""

import signal
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Event = TypeVar("Event")


class Terminated(KeyboardInterrupt):
    """Somebody other than the keyboard ended a training; the message says who, or is empty."""


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

    Yields:
        Nothing.

    Raises:
        Terminated: the process was asked to end.
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


def heeding(events: Iterable[Event], deadline: float | None = None) -> Generator[Event, None, None]:
    """Pass events on until the process is asked to end, which is noticed after each of them.

    Args:
        events: of a training.
        deadline: seconds of `time.monotonic` after which it ends by itself; None for never.

    Yields:
        The same events.

    Raises:
        Terminated: the process was asked to end, or the deadline has passed.
    """
    _now.waits = True
    try:
        for event in events:
            yield event
            if _now.asked:
                raise Terminated
            if deadline is not None and time.monotonic() > deadline:
                raise Terminated("The minutes that it was given are over.")
    finally:
        _now.waits = False
        if isinstance(events, Generator):
            events.close()  # it lets the run's lock go now, and not when the traceback is forgotten


def _heard(number: int, frame: FrameType | None) -> None:
    _now.asked = True
    if not _now.waits:
        raise Terminated

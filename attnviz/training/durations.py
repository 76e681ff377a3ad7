"""The durations of a run's epochs, from its log: in wall-clock seconds, and in core-seconds.

A training that waits for others takes longer by the clock, but not more core-seconds; two threads take twice as many.
"""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass

LINE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} epoch [0-9]{1,7}: "
    r"([0-9]{1,9}\.[0-9]{2}) seconds(?:, ([0-9]{1,9}\.[0-9]{2}) core-seconds)?"
)


@dataclass(frozen=True)
class Duration:
    """The duration of an epoch: wall-clock seconds, and core-seconds of all threads of the process, None if an earlier
    version did not measure them.
    """

    seconds: float
    core_seconds: float | None


class Stopwatch:
    """A stopwatch that starts when it is created."""

    def __init__(self) -> None:
        self._began, self._computed = time.monotonic(), time.process_time()

    def read(self) -> Duration:
        """Return the time since the start."""
        return Duration(time.monotonic() - self._began, time.process_time() - self._computed)


def line(epoch: int, took: Duration) -> str:
    """Return the log line with an epoch's duration, without a newline."""
    computed = "" if took.core_seconds is None else f", {took.core_seconds:.2f} core-seconds"
    return f"{time.strftime('%Y-%m-%d %H:%M:%S')} epoch {epoch}: {took.seconds:.2f} seconds{computed}"


def in_log(text: str) -> list[Duration]:
    """Return the duration of each epoch in a log; truncated or damaged lines are left out."""
    matches = (LINE.fullmatch(one) for one in text.splitlines())
    return [Duration(float(m[1]), None if m[2] is None else float(m[2])) for m in matches if m]


def core_seconds(took: Iterable[Duration]) -> float | None:
    """Return the total core-seconds of some epochs, or None if those of any epoch are unknown."""
    found = [one.core_seconds for one in took]
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None

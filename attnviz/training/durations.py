"""How long the epochs of a run took, from its log: by the clock, and in seconds that a core computed.

A training that waits for others takes longer by the clock, but no more core-seconds; two threads take twice as many.
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
    """How long an epoch took: seconds by the clock, and those that all threads of the process computed, None where an
    earlier version did not measure it.
    """

    seconds: float
    core_seconds: float | None


class Stopwatch:
    """It runs from the moment it is made."""

    def __init__(self) -> None:
        self._began, self._computed = time.monotonic(), time.process_time()

    def read(self) -> Duration:
        """Return what has gone by."""
        return Duration(time.monotonic() - self._began, time.process_time() - self._computed)


def line(epoch: int, took: Duration) -> str:
    """Return the line of a log that says how long an epoch took, without its end."""
    computed = "" if took.core_seconds is None else f", {took.core_seconds:.2f} core-seconds"
    return f"{time.strftime('%Y-%m-%d %H:%M:%S')} epoch {epoch}: {took.seconds:.2f} seconds{computed}"


def in_log(text: str) -> list[Duration]:
    """Return how long each epoch in a log took; lines that are cut off or damaged are left out."""
    matches = (LINE.fullmatch(one) for one in text.splitlines())
    return [Duration(float(m[1]), None if m[2] is None else float(m[2])) for m in matches if m]


def core_seconds(took: Iterable[Duration]) -> float | None:
    """Return the core-seconds of some epochs together; None where those of one are not known."""
    found = [one.core_seconds for one in took]
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None

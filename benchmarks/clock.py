"""How all benchmarks time: two or more things in turn, so that a machine that slows down slows down all of them."""

import os
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

SMALL = "BENCHMARKS_SMALL"
"""A variable of the environment: where it is set, a benchmark only shows that it works, as a test wants it to."""


def amount(much: T, little: T) -> T:
    """Return how much of something a benchmark measures, or how little where it only shows that it works."""
    return little if SMALL in os.environ else much


def in_turn(
    things: dict[str, Callable[[], object]], rounds: int | None = None, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Time each thing once a round, after one round that does not count.

    Args:
        things: what to time, by name.
        rounds: how often; None for fifteen times.
        clock: in seconds; `time.process_time` counts what this process has computed, however busy the machine is.

    Returns:
        Seconds of each round, by name.
    """
    seconds: dict[str, list[float]] = {name: [] for name in things}
    for turn in range((rounds or amount(15, 1)) + 1):
        for name, thing in things.items():
            start = clock()
            thing()
            if turn:
                seconds[name].append(clock() - start)
    return seconds


def table(seconds: dict[str, list[float]], baseline: str, unit: str = "ms", scale: float = 1e3) -> str:
    """Return a Markdown table: median, 95th percentile, and the median ratio to the baseline, round by round."""
    lines = [f"| | median, {unit} | 95 %, {unit} | times {baseline} |", "| --- | --- | --- | --- |"]
    for name, times in seconds.items():
        ratio = statistics.median(t / b for t, b in zip(times, seconds[baseline], strict=True))
        high = sorted(times)[int(0.95 * (len(times) - 1))]
        lines.append(f"| {name} | {scale * statistics.median(times):.3g} | {scale * high:.3g} | {ratio:.3g} |")
    return "\n".join(lines)

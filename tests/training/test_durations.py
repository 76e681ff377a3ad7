"""Durations of epochs, by the clock and of computing, in the log of a run."""

import threading
import time

import pytest

from attnviz.training import durations
from attnviz.training.durations import Duration


def test_what_is_written_is_read_and_lines_of_earlier_versions_too():
    took = [Duration(61.25, 60.5), Duration(0.0, 0.0), Duration(12.0, None)]
    text = "\n".join(durations.line(number, one) for number, one in enumerate(took, 1))
    assert durations.in_log(text) == took
    assert durations.in_log("2026-11-20 09:00:00 epoch 7: 3.50 seconds\n") == [Duration(3.5, None)]


@pytest.mark.parametrize(
    "damaged", ["", "2026-11-20 09:00:00 epoch 7: 3.5", "seconds", "2026-11-20 09:00:00 epoch 7: 3.50 seconds, 1", "\0"]
)
def test_a_damaged_line_is_left_out(damaged):
    whole = durations.line(1, Duration(2.0, 1.0))
    assert durations.in_log(f"{whole}\n{damaged}\n{whole}\n") == [Duration(2.0, 1.0)] * 2


def test_core_seconds_are_known_only_where_each_is():
    assert durations.core_seconds([Duration(9.0, 2.0), Duration(9.0, 3.0)]) == 5.0
    assert durations.core_seconds([Duration(9.0, 2.0), Duration(9.0, None)]) is None


def test_waiting_takes_seconds_by_the_clock_and_no_core_seconds():
    watch = durations.Stopwatch()
    threading.Event().wait(0.05)
    waited = watch.read()
    assert waited.seconds >= 0.05 > (waited.core_seconds or 0.0)
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    assert (watch.read().core_seconds or 0.0) >= 0.05

"""Long work: in a thread of its own, part by part, stopped and resumed, one part at a time for all visitors."""

from collections.abc import Iterator
from threading import Event, Semaphore, current_thread, main_thread

import pytest

from attnviz.ui.shared import jobs
from attnviz.ui.shared.jobs import Job

WAIT = 30.0


class Steps:
    """Parts that are computed when a test lets them."""

    def __init__(self) -> None:
        self.allowed, self.begun = Semaphore(0), Semaphore(0)
        self.asked: list[int] = []
        self.broken: set[int] = set()

    def __call__(self, number: int) -> int:
        assert current_thread() is not main_thread()
        self.asked.append(number)
        self.begun.release()
        assert self.allowed.acquire(timeout=WAIT)
        if number in self.broken:
            raise ValueError(f"part {number}")
        return 10 * number


@pytest.fixture
def steps() -> Iterator[Steps]:
    found = Steps()
    yield found
    found.broken.clear()
    found.allowed.release(100)  # whatever still waits may end


@pytest.fixture(autouse=True)
def none_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_jobs", type(jobs._jobs)())


def test_parts_come_in_order_and_starting_twice_computes_them_once(steps: Steps) -> None:
    job = Job(steps, 3)
    assert (job.parts(), job.running, job.finished) == ([], False, False)
    job.start()
    job.start()
    steps.allowed.release(2)
    assert job.wait(2, WAIT)
    assert (job.parts(), job.finished) == ([0, 10], False)
    steps.allowed.release()
    assert job.wait(3, WAIT)
    assert (job.parts(), job.finished) == ([0, 10, 20], True)
    job.start()
    assert steps.asked == [0, 1, 2]


def test_a_job_is_stopped_after_its_part_and_goes_on_where_it_was(steps: Steps) -> None:
    job = Job(steps, 3)
    job.start()
    assert steps.begun.acquire(timeout=WAIT)
    job.stop()
    steps.allowed.release()
    assert not job.wait(2, WAIT), "it no longer runs"
    assert (job.parts(), job.running) == ([0], False)
    steps.allowed.release(2)
    job.start()
    assert job.wait(3, WAIT)
    assert steps.asked == [0, 1, 2]


def test_a_part_that_fails_is_told_and_tried_again_only_when_asked(steps: Steps) -> None:
    steps.broken.add(1)
    job = Job(steps, 2)
    job.start()
    steps.allowed.release(2)
    assert not job.wait(2, WAIT)
    for _ in range(2):
        with pytest.raises(ValueError, match="part 1"):
            job.parts()
    steps.broken.clear()
    steps.allowed.release()
    job.start()
    assert job.wait(2, WAIT)
    assert job.parts() == [0, 10]


def test_a_job_that_nobody_looks_at_stops_and_keeps_its_parts(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(steps, 3)
    job.start()
    assert steps.begun.acquire(timeout=WAIT)
    monkeypatch.setattr(jobs, "ALONE", -1.0)
    steps.allowed.release()
    assert not job.wait(3, WAIT)
    assert job.parts() == [0]


def test_the_parts_of_two_jobs_are_never_computed_at_once() -> None:
    inside, most = Semaphore(1), []

    def step(number: int) -> int:
        most.append(inside.acquire(blocking=False))
        inside.release()
        return number

    both = [Job(step, 20), Job(step, 20)]
    for job in both:
        job.start()
    assert all(job.wait(20, WAIT) for job in both)
    assert all(most)


def test_a_key_has_one_job_and_those_that_rest_longest_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST", 2)
    go = Event()

    def step(number: int) -> int:
        assert go.wait(WAIT)
        return number

    first = jobs.job("first", step, 1)
    assert jobs.job("first", step, 1) is first
    first.start()
    second = jobs.job("second", step, 1)
    jobs.job("third", step, 1)
    assert jobs.job("first", step, 1) is first, "it runs"
    assert jobs.job("second", step, 1) is not second
    go.set()
    assert first.wait(1, WAIT)

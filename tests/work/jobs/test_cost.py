"""What a training will cost, attnviz/training/cost.py and attnviz/work/jobs/cost.py."""

import json
import sys
import time

import pytest

from attnviz import data
from attnviz.errors import AttnvizError
from attnviz.training import cost as training_cost
from attnviz.work.jobs import cost
from attnviz.work.jobs.order import Order
from tests.training import small

ORDER = Order(model="pixel_attention", recipe="small")


@pytest.fixture(autouse=True)
def here(tmp_path):
    with small.place(tmp_path):
        cost._known.clear()
        yield


def _found(order: Order = ORDER) -> training_cost.Cost:
    while (found := cost.of(order)) is None:
        cost._workers[0].join() if cost._workers else None
    return found


def test_a_probe_counts_the_batches_and_pictures_of_the_whole_epoch(monkeypatch):
    ticks = iter(range(10**6))
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) / 10)
    monkeypatch.setattr(training_cost, "_peak", lambda: 100 * 2**20)
    found = training_cost.probe(small.recipe(), "cpu", 1)
    labels = data.labels("strokes")
    every = int(((labels == 8) | (labels == 1)).sum())
    steps = -(-(every - round(every / 4)) // 16)
    assert found.batches == training_cost.BATCHES
    assert 0.1 * steps < found.seconds < 0.1 * steps + 0.1 * round(every / 4) / 100  # measured on 100 pictures at least
    assert 100 < found.megabytes < 150


def test_a_sentence_says_that_it_is_an_estimate():
    said = training_cost.Cost(20.0, 412.3, 8).sentence(epochs=12, seeds=2)
    assert said == "An estimate from 8 batches: 20 seconds an epoch, at most 8 minutes in all, 412 MB of memory."
    assert [training_cost.duration(one) for one in (0, 3.21, 59, 7200)] == [
        "0.1 seconds", "3.2 seconds", "59 seconds", "2.0 hours",
    ]  # fmt: skip


def test_an_estimate_is_made_beside_the_app_once(monkeypatch):
    made = []
    monkeypatch.setattr(
        Order, "cost_words",
        lambda one: made.append(one) or [sys.executable, "-c", f"print({json.dumps(json.dumps(COST))})"],
    )  # fmt: skip
    assert cost.of(ORDER) is None
    assert _found() == training_cost.Cost(**COST)
    assert _found(ORDER.model_copy(update={"seeds": (4,), "changes": {"epochs": "3"}})) == training_cost.Cost(**COST)
    assert len(made) == 1


COST = {"seconds": 2.0, "megabytes": 300.0, "batches": 8}


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; print('The config does not fit.', file=sys.stderr); sys.exit(2)", "The config does not fit."),
        ("import os; os.kill(os.getpid(), 9)", "memory here may not be enough"),
        ("print('no JSON')", "cannot be estimated"),
        ("raise OSError('no more room')", r"^Its cost cannot be estimated: OSError: no more room\.$"),
        ("import sys; sys.exit(1)", "memory here may not be enough"),
        ("import signal; signal.pause()", "take more than"),
    ],
)
def test_what_cannot_be_estimated_is_a_sentence(monkeypatch, program, said):
    monkeypatch.setattr(Order, "cost_words", lambda one: [sys.executable, "-c", program])
    if "pause" in program:
        monkeypatch.setattr(cost, "PATIENCE", 0.01)
    with pytest.raises(AttnvizError, match=said):
        _found()


def test_a_program_that_is_not_there_is_a_sentence(monkeypatch):
    monkeypatch.setattr(Order, "cost_words", lambda one: ["/none/such"])
    with pytest.raises(AttnvizError, match="cannot be estimated"):
        _found()


def test_an_estimate_that_failed_is_made_again_after_a_while(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(Order, "cost_words", lambda one: [sys.executable, "-c", "import sys; sys.exit('No data.')"])
    for _ in range(2):
        with pytest.raises(AttnvizError, match="No data"):
            _found()
    monkeypatch.setattr(
        Order, "cost_words", lambda one: [sys.executable, "-c", f"print({json.dumps(json.dumps(COST))})"]
    )
    with pytest.raises(AttnvizError, match="No data"):
        _found()
    now[0] += cost.AGAIN
    assert _found() == training_cost.Cost(**COST)

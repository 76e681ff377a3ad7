"""Traces in several threads, attnviz/tracing.py."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from attnviz.errors import TraceError
from attnviz.tracing import trace
from tests.traced_layers import VALUES, Pair, Two
from tests.traced_layers import nobody_listens_afterwards as nobody_listens_afterwards


def test_eight_threads_with_eight_edits_on_one_model_never_mix():
    threads, passes = 8, 60
    model = Two()
    barrier = threading.Barrier(threads)

    def visitor(number: int) -> list[bool]:
        values = VALUES + number
        right = []
        for _ in range(passes):
            barrier.wait(timeout=60)
            with trace(model, keep=["first.key"], edits={"first.query": lambda query: query * number}) as seen:
                barrier.wait(timeout=60)  # all traces are open now
                output = model(values)
            key = 2 * values * number + 1
            right.append(torch.equal(seen["first.key"].tensor, key) and torch.equal(output, 2 * key + 1))
        return right

    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(visitor, range(threads)))
    assert results == [[True] * passes] * threads


def test_a_worker_thread_inside_somebodys_trace_hears_nothing_and_changes_nothing():
    model = Pair()
    with trace(model, edits={"query": torch.neg}) as seen, ThreadPoolExecutor(1) as pool:
        elsewhere = pool.submit(model, VALUES).result(timeout=60)
        assert not pool.submit(model.hears, "query").result(timeout=60)
        here = model(VALUES + 1)
    assert torch.equal(elsewhere, 2 * VALUES + 1)
    assert torch.equal(here, 1 - 2 * (VALUES + 1))
    assert torch.equal(seen["key"].tensor, here)


def test_a_pass_in_a_worker_thread_only_is_a_trace_that_heard_nothing():
    model = Pair()
    with pytest.raises(TraceError, match="its thread"), trace(model), ThreadPoolExecutor(1) as pool:
        pool.submit(model, VALUES).result(timeout=60)

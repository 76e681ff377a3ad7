"""What is kept: so many bytes, computed once for all who ask at once, and never changed."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from attnviz.work.kept import Kept, settled
from attnviz.work.queue import Kind, Queue

from .watched import WAIT, Hurried, Watched

KB = 1000


@pytest.fixture
def kept() -> Kept:
    return Kept(10 * KB, Queue(2))


def block(size: int) -> Callable[[], bytes]:
    return lambda: bytes(size)


class Slow:
    """Work that begins, is counted, and ends when it may."""

    def __init__(self, value: Any = b"value") -> None:
        self.value, self.count = value, 0
        self.began, self.may = threading.Event(), threading.Event()

    def __call__(self) -> Any:
        self.count += 1
        self.began.set()
        assert self.may.wait(WAIT)
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


def test_a_value_is_computed_once(kept: Kept) -> None:
    counted: list[int] = []
    for _ in range(3):
        assert kept.get("key", lambda: counted.append(1) or "value") == "value"
    assert counted == [1]


def test_the_one_asked_for_longest_ago_goes_first_and_the_bytes_stay_below_the_most(kept: Kept) -> None:
    for key in "abc":
        kept.get(key, block(3 * KB))
    kept.get("a", block(0))
    kept.get("d", block(3 * KB))
    assert ["b" in kept, "a" in kept, "c" in kept, "d" in kept] == [False, True, True, True]
    assert 9 * KB < kept.bytes <= kept.most
    assert len(kept) == 3


def test_what_is_too_large_is_given_but_not_kept(kept: Kept) -> None:
    kept.get("small", block(KB))
    assert len(kept.get("large", block(11 * KB))) == 11 * KB
    assert ("large" in kept, "small" in kept) == (False, True)


def test_what_is_forgotten_is_computed_anew(kept: Kept) -> None:
    for key in (("net", "a"), ("net", "b"), ("subject", "a")):
        kept.get(key, block(KB))
    kept.forget(lambda key: key[1] == "a")
    assert len(kept) == 1
    assert ("net", "b") in kept
    assert kept.bytes == settled(bytes(KB))


def together(kept: Kept, slow: Slow, count: int, hurried: Hurried) -> list[Future[Any]]:
    """Ask for one value in so many threads, and let it be computed once all of them wait."""
    pool = ThreadPoolExecutor(count)
    futures = [pool.submit(kept.get, "key", slow)]
    assert slow.began.wait(WAIT)
    for _ in range(count - 1):
        futures.append(pool.submit(kept.get, "key", slow))
        hurried.joined()
    slow.may.set()
    pool.shutdown()
    return futures


def test_what_many_ask_for_at_once_is_computed_once(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    assert {future.result(WAIT) for future in together(kept, slow, 30, Hurried(monkeypatch))} == {b"value"}
    assert slow.count == 1
    assert kept.queue.computing == 0


def test_an_error_reaches_all_who_asked_and_is_not_kept(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(ValueError("no"))
    for future in together(kept, slow, 3, Hurried(monkeypatch)):
        with pytest.raises(ValueError, match="no"):
            future.result(WAIT)
    assert "key" not in kept
    assert kept.get("key", lambda: 1) == 1


def test_where_the_one_who_computes_is_interrupted_another_one_computes(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(BaseException):
        pass

    first, second, hurried = Slow(Interrupted()), Slow(b"other"), Hurried(monkeypatch)
    second.may.set()
    with ThreadPoolExecutor(2) as pool:
        interrupted = pool.submit(kept.get, "key", first)
        assert first.began.wait(WAIT)
        other = pool.submit(kept.get, "key", second)
        hurried.joined()
        first.may.set()
        assert other.result(WAIT) == b"other"
        with pytest.raises(Interrupted):
            interrupted.result(WAIT)
    assert second.count == 1


def test_who_no_longer_waits_leaves_the_value_to_the_others(kept: Kept) -> None:
    class Left(Exception):
        pass

    def left() -> None:
        raise Left

    slow = Slow()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(kept.get, "key", slow)
        assert slow.began.wait(WAIT)
        with pytest.raises(Left):
            kept.get("key", slow, check=left)
        slow.may.set()
        assert first.result(WAIT) == b"value"


def test_who_leaves_the_line_before_computing_leaves_it_to_who_asked_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue, hurried = Watched(1, left=0), Hurried(monkeypatch)
    kept = Kept(KB, queue)
    leaves = threading.Event()

    class Left(Exception):
        pass

    def check() -> None:
        if leaves.is_set():
            raise Left

    busy = Slow()
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(kept.get, "busy", busy)
        assert busy.began.wait(WAIT)
        leader = pool.submit(kept.get, "key", lambda: b"leader", check=check)
        queue.joined()
        follower = pool.submit(kept.get, "key", lambda: b"follower")
        hurried.joined()
        leaves.set()
        with pytest.raises(Left):
            leader.result(WAIT)
        busy.may.set()
        assert (first.result(WAIT), follower.result(WAIT)) == (b"value", b"follower")


def test_who_has_a_turn_computes_what_another_only_waits_to_compute() -> None:
    queue = Watched(1, left=0)
    kept = Kept(KB, queue)
    inside = Slow()

    def outer() -> bytes:
        inside()
        return kept.get("inner", lambda: b"inner") + b" and outer"

    with ThreadPoolExecutor(2) as pool:
        has_turn = pool.submit(kept.get, "outer", outer)
        assert inside.began.wait(WAIT)
        waits = pool.submit(kept.get, "inner", lambda: b"never")
        queue.joined()
        inside.may.set()
        assert (has_turn.result(WAIT), waits.result(WAIT)) == (b"inner and outer", b"inner")
    assert kept.queue.computing == 0


def test_what_a_live_answer_needs_too_does_not_wait_behind_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, order, hurried = Watched(1, left=0), list[str](), Hurried(monkeypatch)
    kept = Kept(KB, queue)
    busy = Slow()
    with ThreadPoolExecutor(4) as pool:
        pool.submit(kept.get, "busy", busy)
        assert busy.began.wait(WAIT)
        for name in ("first", "wanted"):
            pool.submit(kept.get, name, lambda name=name: order.append(name), kind=Kind.LONG)
            queue.joined()
        live = pool.submit(kept.get, "wanted", lambda: order.append("live"), kind=Kind.LIVE)
        hurried.joined()
        busy.may.set()
        live.result(WAIT)
    assert order == ["wanted", "first"]


@dataclass
class Both:
    array: np.ndarray
    more: dict[str, np.ndarray]


def test_arrays_in_it_cannot_be_written_to(kept: Kept) -> None:
    found = kept.get("key", lambda: Both(np.zeros(3), {"a": np.ones(2)}))
    for array in (found.array, found.more["a"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_its_bytes_are_those_of_arrays_tensors_and_weights_each_once() -> None:
    array = np.zeros((100, 10))
    about = 300
    assert array.nbytes <= settled([array, array[:5], {"again": array}]) - sys_size() < array.nbytes + about
    tensor = torch.zeros(1000)
    assert 4000 <= settled((tensor, tensor[:2])) < 4000 + about
    assert 4 * 1010 * 10 <= settled(torch.nn.Linear(1009, 10)) < 4 * 1010 * 10 + 3 * about
    assert settled(Both(np.zeros(1000), {})) >= 8000
    loop: list[Any] = []
    loop.append(loop)
    assert 0 < settled(loop) < about


def sys_size() -> int:
    """Return what the containers around the arrays have, about."""
    return 300

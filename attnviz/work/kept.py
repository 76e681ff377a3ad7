"""A cache of results, bounded by bytes; concurrent requests for a result compute it once.

    kept = Kept(200_000_000, QUEUE)
    maps = kept.get(("maps", name, digest, number), compute)        # cached, or computed in a turn of the queue

Values are shared by all callers and must not be changed: their NumPy arrays are made read-only. Streamlit's caches
return copies, count entries instead of bytes, and can be emptied by any visitor.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from threading import Event, Lock
from typing import Any, TypeVar, cast

import numpy as np

from attnviz.work.queue import Kind, Place, Queue, wait

T = TypeVar("T")


class Kept:
    """Values by key, with a maximum number of bytes in all. The least recently used are dropped first, and a value
    larger than the maximum is not kept. Values are computed in the queue.
    """

    def __init__(self, most: int, queue: Queue) -> None:
        self.most, self.queue = most, queue
        self.bytes = 0
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._coming: dict[Hashable, _Coming] = {}
        self._lock = Lock()

    def get(
        self,
        key: Hashable,
        compute: Callable[[], T],
        *,
        what: str = "",
        kind: Kind = Kind.SHORT,
        check: Callable[[], None] | None = None,
    ) -> T:
        """Return the value of a key, cached or computed by one thread for all concurrent callers.

        Args:
            compute: called in a turn of the queue; its exceptions are raised for all callers, and are not cached.
            kind: the kind of work; if a live answer needs a value that a page waits for, its turn comes sooner.
            check: called regularly while it waits; an exception ends the wait, for this caller only.

        Returns:
            The value, which must not be changed.
        """
        while True:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return cast(T, self._values[key][0])
                coming = self._coming.get(key)
                # A thread that holds a turn must not wait for one that still waits for a turn.
                computes = coming is None or (self.queue.has_turn() and not coming.begun)
                coming = coming or self._coming.setdefault(key, _Coming(self.queue))
            if computes:
                self._compute(key, compute, coming, what, kind, check)
            else:
                coming.hurry(kind)
            wait(coming.done, check)
            if not coming.given_up:
                return cast(T, coming.result())

    def forget(self, which: Callable[[Any], bool]) -> None:
        """Drop the values of all keys for which `which` returns True."""
        with self._lock:
            for key in [key for key in self._values if which(key)]:
                self.bytes -= self._values.pop(key)[1]

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def _compute(
        self,
        key: Hashable,
        compute: Callable[[], Any],
        coming: "_Coming",
        what: str,
        kind: Kind,
        check: Callable[[], None] | None,
    ) -> None:
        """Compute a value in a turn, unless another thread that had a turn has begun to do so."""
        mine = False
        try:
            with self.queue.turn(kind, what=what, check=check, place=coming.waits):
                with self._lock:
                    mine = not coming.begun
                    coming.begun = True
                if mine:
                    self._keep(key, compute(), coming)
        except BaseException as error:
            if mine or not coming.begun:
                with self._lock:
                    self._coming.pop(key, None)
                    # An interrupted page run is not a failure of the computation.
                    coming.error = error if mine and isinstance(error, Exception) else None
                    coming.given_up = coming.error is None
                coming.done.set()
            raise

    def _keep(self, key: Hashable, value: Any, coming: "_Coming") -> None:
        size = settled(value)
        with self._lock:
            coming.value = value
            self._coming.pop(key, None)
            if size <= self.most:
                self._values[key] = value, size
                self.bytes += size
            while self.bytes > self.most:
                self.bytes -= self._values.popitem(last=False)[1][1]
        coming.done.set()


class _Coming:
    """A value that is being computed, or waits for its turn."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.done = Event()
        self.begun = self.given_up = False
        self.value: Any = None
        self.error: Exception | None = None
        self._kind = Kind.LONG
        self._place: Place | None = None

    def waits(self, place: Place | None) -> None:
        """Record the place in the queue of the thread that will compute it."""
        self._place = place
        if place:
            self.queue.hurry(place, self._kind)

    def hurry(self, kind: Kind) -> None:
        """Give it the priority of a kind of work."""
        self._kind = min(self._kind, kind)
        if place := self._place:
            self.queue.hurry(place, self._kind)

    def result(self) -> Any:
        """Return the value, or raise the exception of its computation."""
        if self.error is not None:
            raise self.error
        return self.value


def settled(value: Any) -> int:
    """Make the NumPy arrays in a value, at any depth, read-only, and return its approximate number of bytes."""
    size, seen, waiting = 0, set[int](), [value]
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
            owner = part
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            if owner is part or id(owner) not in seen:
                seen.add(id(owner))
                size += owner.nbytes
        elif hasattr(part, "untyped_storage"):  # a tensor, without importing torch
            storage = part.untyped_storage()
            if storage.data_ptr() not in seen:
                seen.add(storage.data_ptr())
                size += storage.nbytes()
        else:
            size += sys.getsizeof(part)
            if type(part) not in _PLAIN:
                waiting += _held(part)
    return size


_PLAIN = frozenset({str, bytes, int, float, bool, type(None)})  # nearly all parts of a payload's header


def _held(value: Any) -> Iterable[Any]:
    """Return the parts of a value."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    if hasattr(value, "named_parameters") and not isinstance(value, type):  # a torch module
        return [*value.parameters(), *value.buffers()]
    return ()

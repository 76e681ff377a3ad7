"""Caching of what is read from the disk for the length of a block.

    with one_look():                  # a run of a page asks dozens of times, and gets the same answer each time
        once("data sets", look)       # look(), and its result from then on

Outside a block nothing is cached.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar, cast

T = TypeVar("T")


class _Block(NamedTuple):
    age: float
    seen: dict[str, Any]


_block: ContextVar[_Block | None] = ContextVar("what this run has seen", default=None)


@contextmanager
def one_look(age: float = 0.0) -> Iterator[None]:
    """Cache the results of `once` for the block; a nested block shares the outer cache. If looking again is slow,
    results of other blocks may be up to `age` seconds old, see `youngest`.
    """
    token = _block.set(_block.get() or _Block(age, {}))
    try:
        yield
    finally:
        _block.reset(token)


def once(what: str, look: Callable[[], T]) -> T:
    """Return the result of `look`, cached under `what` inside a block; exceptions are not cached."""
    block = _block.get()
    if block is None:
        return look()
    if what not in block.seen:
        block.seen[what] = look()
    return cast(T, block.seen[what])


def youngest() -> float:
    """Return the maximum age in seconds of other blocks' results: 0 outside a block."""
    block = _block.get()
    return block.age if block else 0.0


def inside() -> bool:
    """Return whether a block is open."""
    return _block.get() is not None


def again() -> None:
    """Clear the block's cache, after this process, or another one that it waited for, may have changed the disk."""
    block = _block.get()
    if block:
        block.seen.clear()

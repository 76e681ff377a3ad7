"""Looking once, for the length of a block, at what lies on the disk, however often it is asked for.

    with one_look():                  # a run of a page asks dozens of times, and sees the same all through
        once("data sets", look)       # look(), and its result from then on

Outside a block every question is a look of its own.
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
    """Let all that the block asks come from one look; inside another block, from that one's. Where to look again takes
    long, another look may be so many seconds old, see `youngest`.
    """
    token = _block.set(_block.get() or _Block(age, {}))
    try:
        yield
    finally:
        _block.reset(token)


def once(what: str, look: Callable[[], T]) -> T:
    """Return what a look at `what` finds, in a block always the same; what it raises is raised each time."""
    block = _block.get()
    if block is None:
        return look()
    if what not in block.seen:
        block.seen[what] = look()
    return cast(T, block.seen[what])


def youngest() -> float:
    """Return how many seconds another look may be old: 0 outside a block."""
    block = _block.get()
    return block.age if block else 0.0


def inside() -> bool:
    """Return whether a block has begun."""
    return _block.get() is not None


def again() -> None:
    """Forget what this block has seen: this process has changed it, or waited for another one that may have."""
    block = _block.get()
    if block:
        block.seen.clear()

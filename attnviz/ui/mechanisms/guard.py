"""Guarded calls into a mechanism, so that a faulty one takes nothing else down.

    from attnviz.ui.mechanisms import guard

    panel = guard.call(row, "panel", row.panel, card, gives=Panel)      # or Failed, whose message a page shows
    for row, derived in guard.each(rows, "derived values", lambda row: row.derived()):
        ...                                                             # only mechanisms that work
    with faults.drawing(row, "live picture"):                           # attnviz.ui.shared.page
        row.live()                                                      # or the message, in its place

Whatever a mechanism raises becomes one message on the page concerned and a traceback in the log. Each fault is logged
once, because a faulty function may be called at every movement of the pointer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from attnviz.errors import AttnvizError

if TYPE_CHECKING:
    from attnviz.ui.mechanisms.mechanism import Mechanism

T = TypeVar("T")

FAULTS = (Exception, SystemExit)
"""The exceptions that count as faults; those with which Streamlit stops and reruns pages are neither."""

REMEMBERED = 1000
"""The maximum number of faults that are written to the log."""

_log = logging.getLogger(__name__)
_written: set[tuple[str, str, str]] = set()
_lock = Lock()


class Failed(AttnvizError):
    """A mechanism could not return what it was asked for."""


def call(
    row: Mechanism, part: str, function: Callable[..., T], *given: Any, gives: type | tuple[type, ...] = object
) -> T:
    """Return the result of a function of a mechanism, or raise Failed if it raises or returns another type.

    The traceback goes to the log. `part` names the expected result in the message, such as "panel".
    """
    try:
        found = function(*given)
        if not isinstance(found, gives):
            wanted = " or ".join(one.__name__ for one in (gives if isinstance(gives, tuple) else (gives,)))
            raise TypeError(f"expected {wanted}, not {type(found).__name__}")
    except FAULTS as error:
        raise failed(row, part, error) from error
    return found


def each(rows: Iterable[Mechanism], part: str, function: Callable[[Mechanism], T]) -> Iterator[tuple[Mechanism, T]]:
    """Call a function with several mechanisms, and yield those that work and their results; faults are logged."""
    for row in rows:
        try:
            found = call(row, part, function, row)
        except Failed:
            continue
        yield row, found


def failed(row: Mechanism, part: str, error: BaseException) -> Failed:
    """Write a fault to the log, and return the error for a page, which quotes the message of an `AttnvizError`."""
    fault = row.name, part, repr(error)
    with _lock:
        new = fault not in _written and len(_written) < REMEMBERED
        if new:
            _written.add(fault)
    if new:
        _log.error("The mechanism %s failed: %s", row.name, part, exc_info=error)
    why = f" {error}" if isinstance(error, AttnvizError) else " The server's log says why."
    return Failed(f"\u201c{row.title}\u201d could not give its {part}.{why}")

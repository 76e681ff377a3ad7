"""Calls into a mechanism, guarded: one that is faulty takes nothing else down.

    from attnviz.ui.mechanisms import guard

    panel = guard.call(row, "panel", row.panel, card, gives=Panel)      # or Failed, whose sentence a page shows
    for row, derived in guard.each(rows, "derived values", lambda row: row.derived()):
        ...                                                             # of those mechanisms that work
    with faults.drawing(row, "live picture"):                           # attnviz.ui.shared.page
        row.live()                                                      # or the sentence, in its place

Whatever a mechanism raises becomes one sentence for the page concerned, and a traceback in the log: once for each
fault, as a faulty function may be called at every movement of a hand.
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
"""What counts as a fault; Streamlit stops and reruns pages with exceptions of its own, which are neither."""

REMEMBERED = 1000
"""Faults that are remembered as written to the log."""

_log = logging.getLogger(__name__)
_written: set[tuple[str, str, str]] = set()
_lock = Lock()


class Failed(AttnvizError):
    """A mechanism could not give what it was asked for."""


def call(
    row: Mechanism, part: str, function: Callable[..., T], *given: Any, gives: type | tuple[type, ...] = object
) -> T:
    """Return what a function of a mechanism returns, or raise Failed, with the traceback in the log, where it raises or
    returns something else.

    `part` is what the function gives, in words, for the sentence: "panel".
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
    """Call a function with several mechanisms, and yield those that work and the result; the log has other faults."""
    for row in rows:
        try:
            found = call(row, part, function, row)
        except Failed:
            continue
        yield row, found


def failed(row: Mechanism, part: str, error: BaseException) -> Failed:
    """Write a fault to the log, and return what a page says; the sentence of an `AttnvizError` is quoted."""
    fault = row.name, part, repr(error)
    with _lock:
        new = fault not in _written and len(_written) < REMEMBERED
        if new:
            _written.add(fault)
    if new:
        _log.error("The mechanism %s failed: %s", row.name, part, exc_info=error)
    why = f" {error}" if isinstance(error, AttnvizError) else " The server's log says why."
    return Failed(f"\u201c{row.title}\u201d could not give its {part}.{why}")

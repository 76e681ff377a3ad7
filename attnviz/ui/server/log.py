"""Limits what visitors can make the server log: one line for an aborted request, and few a minute of one cause."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from google.protobuf.message import DecodeError
from starlette.requests import ClientDisconnect

MOST, SECONDS = 10, 60.0
"""The maximum number of records of one cause, and the period in seconds."""

_CAUSES = 256  # causes remembered; beyond that, the oldest are forgotten


class Few(logging.Filter):
    """Lets few warnings and errors of one cause through, `most` in `seconds`. A cause is a line of code and an
    exception type.
    """

    def __init__(self, most: int = MOST, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.most, self.seconds, self.clock = most, seconds, clock
        self._causes: OrderedDict[tuple[object, ...], tuple[float, int]] = OrderedDict()  # cause -> (start, count)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record; the last one notes that more are omitted, the next one how many were."""
        if record.levelno < logging.WARNING or getattr(record, "counted", False):
            return True
        record.counted = True  # each logger and handler passes the same record here
        cause = (record.name, record.pathname, record.lineno, isinstance(record.exc_info, tuple) and record.exc_info[0])
        now = self.clock()
        began, count = self._causes.pop(cause, (now, 0))
        if now - began > self.seconds:
            if count > self.most:
                _add(record, f"({count - self.most:,} more like it were left out before)")
            began, count = now, 0
        self._causes[cause] = began, count + 1
        if len(self._causes) > _CAUSES:
            self._causes.popitem(last=False)
        if count + 1 == self.most:
            _add(record, "(more like it are left out for a minute)")
        return count < self.most


def in_one_line(record: logging.LogRecord) -> bool:
    """Reduce the record of an invalid or aborted request to one line: a filter for loggers that write tracebacks."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    if isinstance(error, (DecodeError, UnicodeDecodeError, ClientDisconnect)):
        why = str(error) or "it broke off before all of it had arrived"
        record.msg, record.args = f"{record.getMessage().strip().rstrip('.')}: {why}", ()
        record.exc_info = record.exc_text = None
    return True


def limit() -> None:
    """Limit the lines logged for one cause; call this once, before the first visitor."""
    few = Few()
    known = [one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    last: list[logging.Handler | None] = [logging.lastResort, *logging.getLogger().handlers]
    written = [one for one in known if one.handlers]
    for place in (*written, *filter(None, last), logging.getLogger("uvicorn.error")):
        place.addFilter(in_one_line)
        place.addFilter(few)


def _add(record: logging.LogRecord, words: str) -> None:
    record.msg, record.args = f"{record.getMessage().rstrip()} {words}", ()

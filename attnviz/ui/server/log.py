"""What visitors can make the server write into its log: one line of what breaks off, and few of one cause a minute."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from google.protobuf.message import DecodeError
from starlette.requests import ClientDisconnect

MOST, SECONDS = 10, 60.0
"""So many records of one cause are written in so many seconds."""

_CAUSES = 256  # that are counted: of more, those are forgotten that began longest ago


class Few(logging.Filter):
    """Lets few warnings and errors of one cause through, so many in so many seconds: of one line of code, and one kind
    of exception.
    """

    def __init__(self, most: int = MOST, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.most, self.seconds, self.clock = most, seconds, clock
        self._causes: OrderedDict[tuple[object, ...], tuple[float, int]] = OrderedDict()  # when it began, how many

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written; the last one says that more are left out, the next one how many were."""
        if record.levelno < logging.WARNING or getattr(record, "counted", False):
            return True
        record.counted = True  # a record comes by here once for each logger and handler
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
    """Leave one line in the log of what cannot be read or broke off: a filter of the loggers that write a traceback."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    if isinstance(error, (DecodeError, UnicodeDecodeError, ClientDisconnect)):
        why = str(error) or "it broke off before all of it had arrived"
        record.msg, record.args = f"{record.getMessage().strip().rstrip('.')}: {why}", ()
        record.exc_info = record.exc_text = None
    return True


def limit() -> None:
    """Let one cause write few lines: once, before the first visitor comes."""
    few = Few()
    known = [one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    last: list[logging.Handler | None] = [logging.lastResort, *logging.getLogger().handlers]
    written = [one for one in known if one.handlers]
    for place in (*written, *filter(None, last), logging.getLogger("uvicorn.error")):
        place.addFilter(in_one_line)
        place.addFilter(few)


def _add(record: logging.LogRecord, words: str) -> None:
    record.msg, record.args = f"{record.getMessage().rstrip()} {words}", ()

"""How much one cause may write into the log."""

import io
import logging

import pytest
from google.protobuf.message import DecodeError
from starlette.requests import ClientDisconnect
from streamlit.web.server.starlette import starlette_websocket

from attnviz.ui.server import log
from attnviz.ui.server.log import MOST, SECONDS, Few, in_one_line


class Logger:
    """Two lines of code that warn, and one that tells."""

    def __init__(self) -> None:
        self.now, self.text = 0.0, io.StringIO()
        self.logger = logging.Logger("own")
        handler = logging.StreamHandler(self.text)
        few = Few(clock=lambda: self.now)
        handler.addFilter(few)
        self.logger.addHandler(handler)
        self.logger.addFilter(few)  # counted once all the same

    def fail(self, error: Exception) -> None:
        try:
            raise error
        except Exception:
            self.logger.exception("It failed %s", id(error))

    def warn(self) -> None:
        self.logger.warning("another")

    def tell(self) -> None:
        self.logger.info("news")

    def count(self, words: str) -> int:
        return self.text.getvalue().count(words)


def test_of_one_cause_few_are_written_and_how_many_were_left_out() -> None:
    its = Logger()
    for _ in range(5_000):
        its.fail(OSError(24, "Too many open files"))
        its.tell()
    its.fail(KeyError("another error of the same line"))
    its.warn()
    assert its.count("Traceback") == MOST + 1
    assert its.count("more like it are left out") == 1
    assert its.count("news") == 5_000
    assert its.count("another\n") == 1
    its.now += SECONDS + 1
    its.fail(OSError(24, "Too many open files"))
    assert its.count("(4,990 more like it were left out before)") == 1
    its.fail(OSError(24, "Too many open files"))
    assert its.count("Traceback") == MOST + 3


def test_causes_without_end_are_not_remembered_for_ever() -> None:
    few = Few()
    for line in range(5_000):
        assert few.filter(logging.LogRecord("x", logging.ERROR, "", line, "m", (), None))
    assert len(few._causes) <= 256


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (DecodeError("cut"), "Cannot read it: cut"),
        (ClientDisconnect(), "Cannot read it: it broke off before all of it had arrived"),
        (ExceptionGroup("of tasks", [ClientDisconnect()]), "Cannot read it: it broke off before all of it had arrived"),
        (RuntimeError("ours"), "Cannot read it."),
    ],
)
def test_what_broke_off_is_one_line_and_what_is_ours_keeps_its_traceback(error: Exception, said: str) -> None:
    try:
        raise error
    except Exception as raised:
        record = logging.LogRecord(
            "x", logging.WARNING, "", 0, "Cannot read %s.", ("it",), (type(raised), raised, None)
        )
    assert in_one_line(record)
    assert (record.exc_info is not None) == isinstance(error, RuntimeError)
    assert record.getMessage() == said


def test_loggers_with_lines_of_their_own_are_limited_too() -> None:
    log.limit()
    assert in_one_line in starlette_websocket._LOGGER.filters
    assert in_one_line in logging.getLogger("uvicorn.error").filters
    assert any(isinstance(one, Few) for one in starlette_websocket._LOGGER.filters)
    last = getattr(logging.lastResort, "filters", [])  # which writes what our own loggers and asyncio's say
    assert in_one_line in last and any(isinstance(one, Few) for one in last)

"""The live channel: what is too large, nonsense, or fails."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.live.request import HEADER, MESSAGE, Request
from attnviz.ui.shared.wording import UNEXPECTED

from .live_server import NAME, Server, Slow, last_words, last_words_of, planning, release, request


@pytest.mark.parametrize(
    ("message", "number", "said"),
    [
        (
            request(5, {"pictures": np.zeros(MESSAGE, np.uint8)}),
            5,
            "may have at most 1,048,576 bytes; this one has 1,04",
        ),
        (bytes(MESSAGE + 1), None, "may have at most 1,048,576 bytes"),
        (request(5, words="x" * HEADER), None, "header of a request may have at most 65,536 bytes"),
        (request(5, {"pictures": np.zeros((65, 2, 2, 1), np.uint8)}), 5, "At most 64 pictures"),
        (request(5, {"pictures": np.zeros((600, 600, 1), np.uint8)}), 5, "together 262,144 numbers"),
        (request(5, {"pictures": np.zeros((28, 28, 1), np.float32)}), 5, r"must be uint8 .* it is float32"),
        (request(5, {"pictures": np.zeros((28, 28), np.uint8)}), 5, r"must be uint8 .* \(28, 28\)"),
        (request(5, {}), 5, 'either named "pictures" in its header or an array'),
        (request(5)[:-8], 5, "payload is truncated"),
        (request(5)[:50], None, "payload is truncated"),
        (b"", None, "payload is truncated"),
        ("", None, "payload is truncated"),
        ("some text", None, "payload"),
        (request(-5), None, "number must be at least 0"),
        (request("5"), None, "number must be a whole number"),
        (request(5, asks=[]), 5, "asks must have at least 1, not 0"),
        (request(5, asks=[{"checkpoint": NAME}] * 33), 5, "asks may have at most 32, not 33"),
        (request(5, more=1), 5, "more is not known here"),
        (request(5, asks=[{"checkpoint": "../x"}]), 5, "asks.0.checkpoint is not a name"),
    ],
)
def test_a_request_that_cannot_be_read_is_refused_in_a_sentence_and_the_next_one_answered(
    server: Server, slow: Slow, message: bytes | str, number: int | None, said: str
) -> None:
    release(slow)
    with server.visitor() as visitor:
        visitor.connection.send(message)
        header, arrays = visitor.hear()
        assert (header["number"], header["done"], arrays) == (number, True, {})
        with pytest.raises(BadInput, match=said):
            raise BadInput(header["error"])
        assert last_words_of(visitor, 6) == [(6, 0)]


@pytest.mark.parametrize(
    ("error", "said"), [(BadInput("Use 1 to 8."), "Use 1 to 8."), (RuntimeError("secret"), UNEXPECTED)]
)
def test_an_error_is_one_sentence_and_the_next_request_is_answered(
    server: Server, slow: Slow, error: Exception, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    release(slow, 2)

    def fail_at_first(asked: Request, place: int) -> bytes:
        if place == 0:
            raise error
        return slow(asked, place)

    server.channel.plan = planning(fail_at_first)
    with server.visitor() as visitor:
        for number in (5, 6):
            first, _ = visitor.ask(number, asks=[{"checkpoint": NAME}] * 2)
            assert first == {"number": number, "ask": 0, "done": False, "error": said}
            assert last_words(visitor, 1) == [(number, 1)]
    assert ("secret" in caplog.text) == (said == UNEXPECTED)

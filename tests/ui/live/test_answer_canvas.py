"""What the live channel makes of a canvas before a model sees it."""

from typing import Any

import numpy as np
import pytest

from attnviz import checkpoints
from attnviz.answers import as_batch
from attnviz.data import inputs
from attnviz.data.inputs import digit
from attnviz.errors import AttnvizError
from attnviz.models import Input
from attnviz.models.pixel_attention import PixelAttention

from .asked import CANVAS, answer, ask, given, read
from .live_server import request


@pytest.mark.parametrize("centred", [True, False])
def test_models_see_what_is_made_of_a_canvas_and_hand_it_back(monkeypatch: pytest.MonkeyPatch, centred: bool) -> None:
    line = given(monkeypatch, checkpoints.load("pixel_line.digits").model)
    message = request(1, {"pictures": CANVAS}, prepare={"centred": centred}, asks=[{"checkpoint": "any"}])
    header, arrays = answer(message)
    expected = digit.prepare(CANVAS[..., 0], centred=centred)
    np.testing.assert_array_equal(arrays["seen"], expected.picture[..., None])
    assert header["prepared"] == {
        "empty": False, "box": list(expected.box), "scale": expected.scale, "fitted": list(expected.fitted),
        "shift": list(expected.shift), "centred": centred, "words": expected.words,
    }  # fmt: skip
    np.testing.assert_array_equal(arrays["logits"], line(as_batch(expected.picture[None, ..., None])))


def test_a_canvas_is_prepared_once_for_all_models_that_take_the_same_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[int, int]] = []
    real = inputs.PREPARATIONS["mnist_style"]

    def prepare(canvas: np.ndarray, *, rows: int, **more: Any) -> inputs.Prepared:
        made.append((rows, more["channels"]))
        return real(canvas, rows=rows, **more)

    monkeypatch.setitem(inputs.PREPARATIONS, "mnist_style", prepare)
    names = ["pixel_line.digits", "ink.digits"]
    asked = read(
        request(1, {"pictures": CANVAS}, prepare={"centred": True}, asks=[{"checkpoint": name} for name in names])
    )
    (_, first), (_, last) = [answer(asked, place) for place in range(2)]
    np.testing.assert_array_equal(first["seen"], last["seen"])
    assert made == [(28, 1)]
    larger = Input(3, 60, 40, "resized")
    seen = asked.prepared(larger)
    assert seen is not None
    assert seen.picture.shape == (60, 40, 3)
    assert asked.prepared(larger) is seen


def test_a_canvas_that_is_none_is_one_sentence(model: PixelAttention) -> None:
    message = request(
        1, {"pictures": np.zeros((30, 31, 1), np.uint8)}, prepare={"centred": True}, asks=[{"checkpoint": "x"}]
    )
    with pytest.raises(AttnvizError, match="A drawing is a square"):
        answer(message)


def test_nothing_is_handed_back_of_pictures_that_are_taken_as_they_are(
    model: PixelAttention, images: np.ndarray
) -> None:
    header, arrays = ask(images)
    assert "prepared" not in header
    assert "seen" not in arrays

"""A strip of a visitor's own: typed, opened and saved; and what a hand that moves its weights costs."""

import io

import numpy as np
import pytest
from PIL import Image

from attnviz import data, models
from attnviz.data.digit_strips import SYMBOLS
from attnviz.errors import BadInput
from attnviz.recipes import RECIPES
from attnviz.subjects import Strip
from attnviz.ui.live import budget
from attnviz.ui.mechanisms.sequences import own_strip


def test_typed_digits_are_digits_of_strokes() -> None:
    found = own_strip.written("3143")
    assert found.shape == (4, 28, 28)
    strokes = data.load("strokes", "test", count=1000)
    for picture, wanted in zip(found, "3143", strict=True):
        same = [place for place in range(1000) if (strokes.images[place, ..., 0] == picture).all()]
        assert [str(strokes.labels[place]) for place in same] == [wanted]
    assert not (found[0] == found[3]).all(), "another handwriting"


@pytest.mark.parametrize("text", ["", "12a", "1" * 31, "\u0661", "-1"])
def test_what_is_no_strip_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="1 to 30 digits"):
        own_strip.written(text)


def test_a_saved_strip_is_the_same_strip_when_it_is_opened() -> None:
    strip = Strip.drawn(own_strip.written("271"))
    again = own_strip.opened(own_strip.png(strip))
    assert Strip.drawn(again) == strip
    np.testing.assert_array_equal(again, own_strip.digits_of(strip))
    assert len(own_strip.digits_of(Strip.test("strokes", 3, 0))) == 0


def test_a_file_that_is_no_strip_is_refused_in_a_sentence() -> None:
    content = io.BytesIO()
    Image.new("L", (30, 28)).save(content, "PNG")
    with pytest.raises(BadInput, match="28 rows and 30 columns. Open one that was saved here"):
        own_strip.opened(content.getvalue())


@pytest.mark.parametrize("key", ["encoder_decoder.strips-15", "transformer.strips-15"])
def test_weights_that_are_moved_by_hand_are_light_work(key: str) -> None:
    recipe = RECIPES[key]
    model = models.spec(recipe.model).build({"classes": [*SYMBOLS], **recipe.config}, None)
    taps = [f"{path}.weights" for path, part in model.named_modules() if "weights" in getattr(part, "taps", ())]
    assert 0 < budget.per_picture(model, 28 * 840, taps) <= budget.LIGHT

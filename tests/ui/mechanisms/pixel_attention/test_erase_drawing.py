"""Erase what a model looks at, on the draw page, attnviz/ui/mechanisms/pixel_attention/erase_drawing.py."""

import numpy as np
import pytest

from attnviz.data.inputs import drawing
from attnviz.views.payload import unpack
from tests.ui.draw.test_panels import WORD, handed, plain, run


def test_nothing_is_erased_until_a_model_is_chosen() -> None:
    test = run(seen=WORD)
    assert not test.slider
    test.button_group(key="erase").set_value("pixel_attention.digits").run()
    assert not test.exception
    assert test.query_params["erase"] == "pixel_attention.digits"
    assert handed(test)["settled"] is True
    assert test.slider


def test_what_is_erased_is_what_the_models_saw() -> None:
    test = run(seen=WORD, erase="pixel_attention.digits", removed="30")
    grids = [unpack(one.proto.bytes) for one in test.get("bidi_component") if "map_grid" in one.proto.component_name]
    ((header, arrays),) = grids
    np.testing.assert_allclose(arrays["maps"][0], drawing.read(drawing.named(WORD)) / 255)
    assert header["origin"]["image"] == drawing.place(drawing.named(WORD))
    prose = "\n".join(one.value for one in test.markdown)
    assert "The model answers **" in prose
    assert "answer without them" in prose


@pytest.mark.parametrize("seen", [None, ""])
def test_while_nothing_is_drawn_it_says_so(seen: str | None) -> None:
    test = run(seen=seen, erase="pixel_attention.digits")
    assert "Nothing is drawn yet" in test.info[0].value


def test_a_picture_that_the_model_never_saw_is_not_erased() -> None:
    larger = drawing.word(drawing.name(np.eye(40, dtype=np.uint8)))
    test = run(seen=larger, erase="pixel_attention.digits")
    assert "a picture of 40 × 40 pixels, and this model saw it in 28 × 28" in test.info[0].value
    assert not test.slider


def test_what_the_browser_says_may_be_nonsense() -> None:
    test = run(seen="nonsense!", erase="pixel_attention.digits")
    assert "This is not a drawing" in plain(test.error[0].value)
    test = run(seen=WORD, erase="ink.digits")
    assert "There is no erase 'ink.digits'" in plain(test.warning[0].value)

"""The Jacobian on the explorer, and what components are told of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, subjects
from attnviz.data import strokes
from attnviz.subjects import Picture, Subject
from attnviz.ui.live import jacobian, jacobian_map
from attnviz.views.payload import unpack

EXPLORER = Path(__file__).parents[3] / "pages" / "00_explorer.py"


def explorer(**words: str) -> AppTest:
    test = AppTest.from_file(str(EXPLORER), default_timeout=120)
    test.query_params.update({"data": "strokes", **words})
    test.run()
    assert not test.exception
    return test


def drawn(test: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("map_grid")]
    return unpack(found.proto.bytes)


def test_the_url_shows_the_jacobian_and_the_switch_takes_it_back() -> None:
    test = explorer(model="pixel_line.digits", number="3", map="jacobian")
    header, arrays = drawn(test)
    model = checkpoints.load("pixel_line.digits").model.double()
    pixels = torch.from_numpy(strokes.load("test", 256)[0][3:4].transpose(0, 3, 1, 2).copy()).double() / 255
    answer = int(model(pixels).argmax())
    slope = (model.classifier.weight[answer] / model.standardise.std).reshape(1, 28, 28)
    np.testing.assert_allclose(arrays["maps"], slope, rtol=1e-12)
    assert (header["role"], header["labels"]) == ("signed", ["intensity"])
    assert header["note"] == "how much the answer\u2019s logit would change per unit of intensity"
    assert header["title"] == f"Jacobian of the shown answer, {answer}"
    test.button_group(key="map").set_value("attention").run()
    assert "no taps" in test.info[0].value  # of a model that only has the Jacobian
    assert test.query_params["map"] == "attention"


def test_a_model_without_one_says_so_in_one_sentence() -> None:
    test = explorer(model="histogram_mlp.digits", map="jacobian")
    (said,) = [info.value for info in test.info]
    assert said == jacobian.missing(subjects.net("histogram_mlp.digits"))
    assert said.endswith(".")


def test_without_the_word_the_taps_are_shown() -> None:
    header, _ = drawn(explorer(model="pixel_attention.digits", number="3"))
    assert header["note"] is None


def test_nonsense_is_a_sentence_and_the_taps() -> None:
    test = explorer(model="pixel_attention.digits", map="gradient")
    assert "There is no map" in test.warning[0].value.replace("\\", "")
    assert drawn(test)[0]["note"] is None


@pytest.mark.parametrize("name", ["pixel_attention.digits", "ink.1v8", "histogram_line.1v8"])
def test_what_a_component_is_told(name: str) -> None:
    said = jacobian_map.asked(Subject(subjects.net(name), Picture("strokes", 3)))
    assert said["picture"] == {"data": "strokes", "number": 3}
    assert (said["missing"] is None) == (not name.startswith("histogram"))

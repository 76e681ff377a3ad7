"""A visitor's drawing in the URL: every page looks at that very picture, and nothing claims to know it."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import subjects
from attnviz.data import strokes
from attnviz.data.inputs import drawing
from attnviz.subjects import Drawing, Picture, Subject
from attnviz.ui.mechanisms.pixel_attention.experiments.choice import EXPERIMENTS, OF_THE_PAPER
from attnviz.ui.shared import pickers
from attnviz.views.payload import unpack
from tests.ui.mechanisms.pixel_attention.experiments.opened import opened

PAGES = Path(__file__).parents[3] / "pages"
IMAGE = strokes.draw([3], seed=77)[0, ..., 0]
NAME = drawing.name(IMAGE)
WORD = drawing.word(NAME)


def header(test: AppTest, component: str) -> dict:
    found = [one for one in test.get("bidi_component") if one.proto.component_name.endswith(component)]
    return unpack(found[0].proto.bytes)[0]


def written(test: AppTest) -> str:
    return "\n".join(one.value for kind in ("markdown", "info", "caption", "error") for one in test.get(kind))


def test_the_viewer_shows_it_and_nothing_claims_to_know_it() -> None:
    test = opened({"drawing": WORD})
    (component,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("pixel_viewer")]
    said, arrays = unpack(component.proto.bytes)
    np.testing.assert_allclose(arrays["picture"], IMAGE / 255)
    assert said["label"] is None
    assert said["origin"]["image"] == drawing.place(NAME)
    assert "This picture shows" not in written(test)


def test_the_row_says_so_and_leads_back_to_the_data_sets() -> None:
    test = opened({"drawing": WORD, "number": "7"})
    assert test.session_state["data"] == "drawing"
    assert not test.number_input
    assert "[Back to your drawing](draw" in written(test)
    test.button_group(key="data").set_value("strokes").run()
    assert not test.exception
    assert "drawing" not in test.query_params
    assert test.query_params["data"] == "strokes"
    assert header(test, "pixel_viewer")["origin"]["image"].startswith("strokes/test/")
    assert test.number_input


@pytest.mark.parametrize("word", ["", "nonsense!", WORD[:-9], "A" * 1300, drawing.word(NAME) + "AAAA"])
def test_nonsense_is_one_sentence_and_the_default_picture(word: str) -> None:
    test = opened({"drawing": word})
    assert len(test.warning) == 1
    assert "drawing" in test.warning[0].value
    assert header(test, "pixel_viewer")["origin"]["image"].startswith("strokes/test/")


@pytest.mark.parametrize("experiment", [*EXPERIMENTS, *OF_THE_PAPER])
@pytest.mark.parametrize("model", ["without", "with"])
@pytest.mark.usefixtures("here")
def test_every_experiment_takes_it(experiment: str, model: str) -> None:
    test = opened({"model": f"pixel_attention.{model}", "drawing": WORD, "experiment": experiment, "other": "picture"})
    assert not test.error
    assert not test.warning


@pytest.mark.usefixtures("here")
def test_beside_another_picture_it_is_called_what_it_is() -> None:
    words = {"model": "pixel_attention.without", "drawing": WORD, "experiment": "compare", "other": "picture"}
    assert "your drawing" in str(header(opened(words), "map_grid")["labels"])


def test_the_explorer_shows_it() -> None:
    test = AppTest.from_file(str(PAGES / "00_explorer.py"), default_timeout=120)
    test.query_params.update({"drawing": WORD, "address": "attention.output"})
    test.run()
    assert not test.exception
    assert header(test, "map_grid")["origin"]["image"] == drawing.place(NAME)


def test_what_stands_beside_it_is_of_a_data_set() -> None:
    net = subjects.net("pixel_attention.1v8")
    assert pickers.tests(Subject(net, Drawing(WORD))) == "strokes"
    assert pickers.tests(Subject(net, Picture("mnist", 3))) == "mnist"

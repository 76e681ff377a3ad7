"""Temperature on the page: queries, keys and marks that the browser gets, nonsense as sentences."""

from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, data
from attnviz.ui.mechanisms.pixel_attention.experiments.temperature import stops
from attnviz.views.payload import unpack

from .opened import opened
from .placed import STANDARD, place

ROOT = Path(__file__).parents[5]
NUMBER = 5


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path)))


def run(model: str = "without", **words: str) -> AppTest:
    return opened(
        {
            "model": f"pixel_attention.{model}",
            "experiment": "temperature",
            "data": "strokes",
            "number": str(NUMBER),
            **words,
        }
    )


def sent(test: AppTest) -> tuple[dict, dict[str, np.ndarray]]:
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("moving_maps")]
    return unpack(found.proto.bytes)


def test_the_browser_gets_the_locked_query_and_the_keys_of_the_head() -> None:
    header, arrays = sent(run(query="9,12", head="2"))
    model, _ = checkpoints.load("pixel_attention.without")
    picture = data.load("strokes", "test", count=256).images[NUMBER, ..., 0] / 255.0
    tokens = torch.from_numpy((picture.reshape(1, -1, 1) - STANDARD["mean"]) / STANDARD["std"])
    attention = model.double().attention
    query, key = (attention.split(part(tokens))[0, 1].numpy() for part in (attention.query, attention.key))
    places = header["panes"][0]["outlined"]
    assert places[0] == 8 * 28 + 11
    assert picture.ravel()[places[2]] == 0
    np.testing.assert_allclose(arrays["query"], query[places], rtol=1e-9)
    np.testing.assert_allclose(arrays["key"], key, rtol=1e-9)
    assert header["names"][0] == "locked, row 9, column 12"
    assert (header["start"], header["state"]["at"]["value"]) == (0.0, None)


def test_without_a_locked_query_it_is_the_middle_of_the_ink() -> None:
    header, _ = sent(run("with"))
    assert header["names"][0].startswith("ink, row ")
    assert header["rows"] == header["columns"] == 14


def test_the_marks_are_the_squares_of_the_scales() -> None:
    standardised = stops(0.3081)
    assert standardised["as trained, standardised"] == 0
    assert 10 ** standardised["as if 0 to 255"] == pytest.approx((1 / 255 / 0.3081) ** 2)
    unscaled = stops(1 / 255)
    assert unscaled["as trained, 0 to 255"] == 0
    assert 10 ** unscaled["as if standardised"] == pytest.approx((255 * 0.3081) ** 2)
    assert [*stops(0.5)] == ["as if 0 to 255", "as if standardised", "as trained"]


@pytest.mark.parametrize(("word", "at"), [("1.5", 1.5), ("-2", -2.0), ("99", None), ("hot", None)])
def test_the_handle_stands_where_the_url_says(word: str, at: float | None) -> None:
    test = run(temperature=word)
    assert sent(test)[0]["state"]["at"]["value"] == at
    assert (
        [warning for warning in test.warning if "temperature" in warning.value] == []
        if at is not None
        else test.warning
    )


def test_one_token_has_no_temperature() -> None:
    assert "its only weight is 1" in run("one-token").info[-1].value

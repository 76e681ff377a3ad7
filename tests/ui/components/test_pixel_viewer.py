"""The viewer's Python side: shapes are checked, views are said in a URL, and megabytes are not sent twice."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.views.attention import FIELDS, OF_TOKENS, distinct
from attnviz.views.payload import unpack
from tests.browser.apps.pixel_viewer import make_view

APP = Path(__file__).parents[2] / "browser" / "apps" / "pixel_viewer.py"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("picture", np.zeros((7, 5))),
        ("query", np.zeros((3, 35))),
        ("key", np.zeros((3, 35, 5))),
        ("log_normaliser", np.zeros((35, 3))),
        ("received", np.zeros((3, 35), np.float32)),
        ("probabilities", np.zeros(9)),
        ("background", np.zeros((10, 14), np.uint8)),
        ("background", np.zeros((10, 14, 3))),
    ],
)
def test_a_wrong_array_is_named(field: str, value: np.ndarray) -> None:
    with pytest.raises(BadInput, match=f"{field}: expected .*, got"):
        replace(make_view(), **{field: value})


@pytest.mark.parametrize("field", ["projection", "readout", "of_heads"])
def test_how_the_answer_is_read_out_fits_or_is_named(field: str) -> None:
    whole = make_view(kind="sum")
    with pytest.raises(BadInput, match=f"{field}: expected .*, got"):
        replace(whole, **{field: np.zeros((2, 2, 2))})
    with pytest.raises(BadInput, match="belong together"):
        replace(whole, **{field: None})


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ({}, {}),
        (FIELDS.defaults, {}),
        ({"query": [4, 7]}, {"query": "5,8"}),
        ({"key": [-1, 0]}, {"key": "0,1"}),
        ({"head": 6, "direction": "to"}, {"head": "7", "direction": "to"}),
        ({"head": "mean", "show": "scores", "scale": "map"}, {"head": "mean", "show": "scores", "scale": "map"}),
    ],
)
def test_a_view_in_the_url_counts_from_one(view: dict[str, Any], words: dict[str, str]) -> None:
    assert {name: word for name, word in FIELDS.write(view).items() if word is not None} == words
    assert FIELDS.complete(FIELDS.read(words)) == FIELDS.complete(view)


@pytest.mark.parametrize("word", ["", "x", "5", "5,8,9", "5;8", "-5,8", "٥,8", "1e3,2", "9999999,1"])
def test_nonsense_in_the_url_is_handed_on_for_the_viewer_to_name(word: str) -> None:
    assert FIELDS.read({"query": word, "other": "kept out"}) == {"query": word}


def test_the_page_hands_over_the_view_as_doubles() -> None:
    test = AppTest.from_file(APP, default_timeout=120)
    test.query_params["query"] = "2,3"
    test.run()
    assert not test.exception
    header, arrays = unpack(test.get("bidi_component")[0].proto.bytes)
    expected = make_view()
    assert header["state"]["view"]["value"] == FIELDS.complete({"query": [1, 2]})
    assert (header["rows"], header["columns"], header["classes"]) == (5, 7, list("0123456789"))
    for name in ("picture", "output", *OF_TOKENS):
        sent = arrays[name][:, arrays["place"]] if name in OF_TOKENS else arrays[name]
        np.testing.assert_array_equal(sent, getattr(expected, name))
        assert sent.dtype == np.float64


def test_equal_tokens_travel_once() -> None:
    view = make_view()
    order = np.arange(view.query.shape[1]) % 4
    same = replace(view, **{name: getattr(view, name)[:, order] for name in OF_TOKENS})
    first, place = distinct(same)
    assert first.tolist() == [0, 1, 2, 3]
    assert place.tolist() == order.tolist()
    other = same.value.copy()
    other[-1, 6] += 1e-12  # in one head, by next to nothing
    first, place = distinct(replace(same, value=other))
    assert first.tolist() == [0, 1, 2, 3, 6]
    assert place.tolist() == [0, 1, 2, 3, 0, 1, 4, *order.tolist()[7:]]

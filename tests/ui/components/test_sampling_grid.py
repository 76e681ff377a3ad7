"""The view of a picture and its grid in the words of a URL, what the wrapper refuses, and what the browser gets."""

from typing import Any

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components.sampling_grid import FIELDS, Angles, GridView, read_signed, read_theta, write_theta
from attnviz.views.payload import unpack

THETA = np.array([[0.9, 0.1, 0.0], [-0.1, 0.8, 0.2]])


def view(**more: Any) -> GridView:
    fields: dict[str, Any] = {
        "picture": np.zeros((4, 6, 3), np.uint8), "ink": False, "theta": THETA, "mean": THETA / 2, "many": "2 pictures",
        "tap": "transformer.theta", "classes": ("a", "b"), "label": "a", "logits": np.zeros(1),
        "probabilities": np.array([0.5, 0.5]), "angles": None, "checkpoint": "net",
        "asked": {"data": "x", "number": 1}, "origin": {"seed": 0},
    }  # fmt: skip
    return GridView(**{**fields, **more})


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    shown = {
        "drag": "grid", "rotate": -30, "scale": 1.25, "across": 2.5, "down": -1, "grid": "mean",
        "theta": [0.5, -0.4, 0, 0.4, 0.5, 0.125],
    }  # fmt: skip
    words = FIELDS.write(shown)
    assert words == {
        "drag": "grid", "rotate": "-30", "scale": "1.25", "across": "2.5", "down": "-1", "grid": "mean",
        "theta": "0.5,-0.4,0,0.4,0.5,0.125",
    }  # fmt: skip
    assert FIELDS.read({name: word for name, word in words.items() if word}) == shown
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


@pytest.mark.parametrize("word", ["", "-", "1.", "--1", "1e3", "nan", "12345", "\u0661", "1,2"])
def test_nonsense_is_no_number(word: str) -> None:
    assert read_signed(word) is None
    assert FIELDS.read({"rotate": word})["rotate"] == word, "for the browser to name"


@pytest.mark.parametrize("word", ["", "1,0,0,0,1", "1,0,0,0,1,0,0", "1,0,0,0,1,", "a,b,c,d,e,f", "1 0 0 0 1 0"])
def test_nonsense_is_no_theta(word: str) -> None:
    assert read_theta(word) is None


def test_a_theta_is_written_as_it_is_read() -> None:
    assert write_theta(read_theta("1,-0.5,0,0.125,1,-3") or []) == "1,-0.5,0,0.125,1,-3"


def test_theta_has_two_rows_and_three_columns() -> None:
    with pytest.raises(BadInput, match=r"theta: expected float64 or float32 of the shape \(2, 3\)"):
        view(theta=np.eye(3))


def test_a_view_is_packed_with_theta_in_double_precision_and_angles_where_they_are_known() -> None:
    header, arrays = unpack(view().packed())
    assert header["angles"] is None
    assert arrays["theta"].dtype == np.float64
    np.testing.assert_array_equal(arrays["mean"], THETA / 2)
    angles = Angles(np.array([1.0, 2.0]), np.array([0.5, 1.0]), 0.5, 0.0, 12.0)
    header, arrays = unpack(view(angles=angles).packed())
    assert header["angles"] == {"slope": 0.5, "offset": 0.0, "here": 12.0}
    np.testing.assert_array_equal(arrays["angles.grid"], [0.5, 1.0])

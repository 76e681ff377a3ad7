"""The view of a strip in the words of a URL, what the wrapper refuses, and what the browser gets."""

from typing import Any

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components.alignment import (
    FIELDS,
    AlignmentView,
    Curve,
    Text,
    Weights,
    read_moved,
    write_moved,
)
from attnviz.views.payload import unpack


def view(**more: Any) -> AlignmentView:
    rows = np.full((2, 3, 7), 1 / 7)
    fields: dict[str, Any] = {
        "picture": np.zeros((28, 56, 1), np.uint8), "digits": 2, "pitch": 8, "classes": ("0", "1", "stop"),
        "right": [1, 0, 2], "reads": [0, 1], "own": Text(np.full((3, 3), 1 / 3), [3, 0, 0]),
        "told": Text(np.full((3, 3), 1 / 3), [3, 1, 0]),
        "layers": [Weights("cross-1", "Cross-attention", "decoder.0.cross", "steps", "columns", rows, 2 * rows)],
        "trained": 15, "kind": "transformer",
        "curves": [Curve("a.b", "A", False, [1, 15], [1.0, 0.9], [1.0, 0.2], [(1, 1), (0.8, 1)], [(1, 1), (0, 0.4)])],
        "checkpoint": "net", "asked": {"data": "strip:strokes.2.0", "number": 0}, "origin": {"seed": 0},
    }  # fmt: skip
    return AlignmentView(**{**fields, **more})


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    shown = {
        "at": 3, "told": "right", "layer": "cross-1", "head": 2, "column": 6, "mask": False,
        "moved": [[2, 8], [4, -4]], "measure": "exact",
    }  # fmt: skip
    words = FIELDS.write(shown)
    assert words == {
        "at": "4", "told": "right", "layer": "cross-1", "head": "3", "column": "7", "mask": "no",
        "moved": "3.8,5.-4", "measure": "exact",
    }  # fmt: skip
    assert FIELDS.read({name: word for name, word in words.items() if word}) == shown
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


@pytest.mark.parametrize("word", ["", "3", "3.", "3.8,", "a.b", "3.8.1", "3.--8", "\u0661.1"])
def test_nonsense_moves_nothing(word: str) -> None:
    assert read_moved(word) is None
    assert FIELDS.read({"moved": word})["moved"] == word, "for the browser to name"


def test_moves_are_written_as_they_are_read() -> None:
    assert write_moved(read_moved("1.5,31.-104") or []) == "1.5,31.-104"


def test_a_view_is_packed_with_every_layer_told_either_text() -> None:
    header, arrays = unpack(view().packed())
    assert (header["own"], header["told"]) == ({"before": [3, 0, 0]}, {"before": [3, 1, 0]})
    assert header["layers"] == [
        {
            "name": "cross-1", "title": "Cross-attention", "path": "decoder.0.cross", "queries": "steps",
            "keys": "columns", "learnt": True, "of": "weight",
        }
    ]  # fmt: skip
    np.testing.assert_allclose(arrays["0.right"], 2 * arrays["0.own"])
    assert header["curves"][0]["digits_range"] == [[1, 1], [0.8, 1]]


def test_where_the_right_text_is_not_known_there_is_none() -> None:
    header, arrays = unpack(view(right=None, reads=None, told=None, layers=()).packed())
    assert header["right"] is None
    assert header["told"] is None
    assert set(arrays) == {"picture", "own.probabilities"}


@pytest.mark.parametrize("more", [{"digits": 3}, {"digits": 0}, {"picture": np.zeros((28, 56), np.uint8)}])
def test_a_picture_that_is_no_strip_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="shape"):
        view(**more)

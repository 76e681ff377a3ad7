"""What the pad for strips reports, nonsense included."""

import base64
from typing import Any

import numpy as np
import pytest
import streamlit as st

from attnviz.ui.components import strip_pad

DRAWN = np.random.default_rng(0).integers(0, 256, (strip_pad.SIDE, strip_pad.SIDE), np.uint8)


def reported(monkeypatch: pytest.MonkeyPatch, told: Any, **state: Any) -> list[strip_pad.Asked]:
    monkeypatch.setattr(st, "session_state", {"pad": told, **state})
    return strip_pad.asked("pad")


def test_a_drawing_comes_back_as_it_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    word = base64.b64encode(DRAWN.tobytes()).decode()
    [found] = reported(monkeypatch, {"asked": [{"number": 1, "does": "add", "canvas": word}]})
    assert found.canvas is not None
    np.testing.assert_array_equal(found.canvas, DRAWN)
    assert reported(monkeypatch, {"asked": [{"number": 1, "does": "back"}]}) == [("back", None)]


def test_each_request_is_carried_out_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    two = {"asked": [{"number": 1, "does": "back"}, {"number": 2, "does": "clear"}]}
    assert [one.does for one in reported(monkeypatch, two)] == ["back", "clear"], "one run for both"
    assert strip_pad.asked("pad") == [], "a further run"
    three = {"asked": [*two["asked"], {"number": 3, "does": "back"}]}
    assert [one.does for one in reported(monkeypatch, three, **{"pad.confirmed": 2})] == ["back"]


@pytest.mark.parametrize(
    "told",
    [
        None, {}, {"asked": None}, {"asked": {"does": "back"}}, {"asked": ["back"]}, {"asked": [{"does": "back"}]},
        {"asked": [{"number": "1", "does": "back"}]}, {"asked": [{"number": 1, "does": "sing"}]},
        {"asked": [{"number": 1, "does": "add"}]}, {"asked": [{"number": 1, "does": "add", "canvas": "###"}]},
        {"asked": [{"number": 1, "does": "add", "canvas": "AAAA"}]},
        {"asked": [{"number": 1, "does": "add", "canvas": "A" * 10**6}]},
    ],
)  # fmt: skip
def test_nonsense_asks_for_nothing(monkeypatch: pytest.MonkeyPatch, told: Any) -> None:
    assert reported(monkeypatch, told) == []

"""What the pad for strips reports, nonsense included."""

import base64
from typing import Any

import numpy as np
import pytest
import streamlit as st

from attnviz.ui.components import strip_pad

DRAWN = np.random.default_rng(0).integers(0, 256, (strip_pad.SIDE, strip_pad.SIDE), np.uint8)


def reported(monkeypatch: pytest.MonkeyPatch, told: Any) -> strip_pad.Asked | None:
    monkeypatch.setattr(st, "session_state", {"pad": told})
    return strip_pad.asked("pad")


def test_a_drawing_comes_back_as_it_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    word = base64.b64encode(DRAWN.tobytes()).decode()
    found = reported(monkeypatch, {"asked": {"does": "add", "canvas": word}})
    assert found is not None
    assert found.canvas is not None
    np.testing.assert_array_equal(found.canvas, DRAWN)
    assert reported(monkeypatch, {"asked": {"does": "back"}}) == ("back", None)


@pytest.mark.parametrize(
    "told",
    [
        None, {}, {"asked": None}, {"asked": {"does": "sing"}}, {"asked": {"does": "add"}},
        {"asked": {"does": "add", "canvas": "###"}}, {"asked": {"does": "add", "canvas": "AAAA"}},
        {"asked": {"does": "add", "canvas": "A" * 10**6}},
    ],
)  # fmt: skip
def test_nonsense_asks_for_nothing(monkeypatch: pytest.MonkeyPatch, told: Any) -> None:
    assert reported(monkeypatch, told) is None

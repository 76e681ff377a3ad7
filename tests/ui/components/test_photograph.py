"""The box that was drawn on a photograph, as a browser reports it: inside of the photograph, or none."""

from typing import Any

import pytest
import streamlit as st

from attnviz.ui.components.photograph import drawn_box


@pytest.mark.parametrize(
    ("told", "box"),
    [
        ([10, 20, 60, 90], (10, 20, 60, 90)),
        ([-5, -5, 900, 900], (0, 0, 200, 100)),
        ([10, 20, 12, 90], None),
        ([60, 20, 10, 90], None),
        ([10, 20, 60], None),
        ([10.5, 20, 60, 90], None),
        ([True, 20, 60, 90], None),
        ("none", None),
        (None, None),
    ],
)
def test_a_box_is_inside_of_the_photograph_or_none(told: Any, box: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {"photograph": {"box": told}})
    assert drawn_box("photograph", 200, 100) == box

"""Clutter around a drawing: which drawings it is thrown around, and what is said where there is no room."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.data.cluttered import CLUTTERED, thrown
from attnviz.data.inputs import drawing
from attnviz.subjects import example
from attnviz.ui.mechanisms.recurrent_attention import clutter

from .placed import lay

CONFIG = {"glimpses": 2, "size": 6, "scales": 2, "rows": 40, "columns": 40, "features": 8, "width": 8}
DATA = "cluttered_strokes"
INK = np.zeros((28, 28), np.uint8)
INK[6:22, 12:16] = 255


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Return an app that draws the choice around the picture that its state names, and keeps what is returned."""
    lay(tmp_path, "with", CONFIG, 0, DATA)
    lay(tmp_path, "without", CONFIG, 0, "mnist")
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))

    def script() -> None:
        import streamlit as st

        from attnviz.subjects import example, net
        from attnviz.ui.mechanisms.recurrent_attention import clutter

        chosen = example(st.session_state["source"])
        named = net(f"recurrent_attention.{st.session_state.setdefault('model', 'with')}")
        st.session_state["found"] = clutter.around(named, chosen)

    app = AppTest.from_function(script, default_timeout=120)
    app.session_state["source"] = drawing.name(INK)
    return app


def seen(page: AppTest) -> np.ndarray:
    found: np.ndarray = page.session_state["found"][0].picture[:, :, 0]
    return found


def test_a_number_of_a_throw_is_the_same_picture_anywhere(page: AppTest) -> None:
    page.query_params["clutter"] = "7"
    page.run()
    np.testing.assert_array_equal(seen(page), thrown(INK, CLUTTERED[DATA], seed=7)[:, :, 0])
    assert page.session_state["found"][1] == {"clutter": 7}


def test_after_the_last_throw_comes_the_first(page: AppTest) -> None:
    page.query_params["clutter"] = str(clutter.MOST)
    page.run().button[0].click().run()
    assert page.query_params["clutter"] == "1"


@pytest.mark.parametrize(
    ("model", "source"),
    [
        ("without", drawing.name(INK)),
        ("with", DATA),
        ("with", drawing.name(np.zeros((CLUTTERED[DATA].canvas,) * 2, np.uint8))),
    ],
    ids=["another model", "a data set", "as large as the canvas"],
)
def test_what_has_no_clutter_stays_as_it_is_and_leaves_no_word_in_the_url(
    page: AppTest, model: str, source: str
) -> None:
    page.session_state["model"], page.session_state["source"] = model, source
    page.run()
    chosen, word = page.session_state["found"]
    assert (chosen, word) == (example(source), {})
    assert not page.toggle


def test_a_drawing_whose_clutter_no_url_can_hold_is_seen_without(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "LONGEST", len(drawing.word(drawing.name(INK))))
    page.run()
    assert page.caption[0].value.endswith("You see it without clutter\\.")
    chosen, word = page.session_state["found"]
    assert (chosen, word) == (example(drawing.name(INK)), {"clutter": 1})

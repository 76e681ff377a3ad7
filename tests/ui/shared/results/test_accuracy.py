"""How accurate a model is, attnviz/ui/shared/results/accuracy.py: its confusions and its wrong answers."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, data
from attnviz.subjects import Picture
from attnviz.ui.shared import findings
from attnviz.ui.shared.results import accuracy
from attnviz.views.payload import unpack

NAME = "pixel_line.1v8"


def page() -> None:
    import streamlit as st

    from attnviz import subjects
    from attnviz.ui.shared.results import accuracy

    st.session_state.setdefault("show_wrong", True)
    accuracy.show(subjects.net("pixel_line.1v8"), "strokes")


class Finished:
    finished = True


def shown(monkeypatch: pytest.MonkeyPatch, wrong: list[int]) -> AppTest:
    """Return the page of a model that answers correctly, but for the pictures of these places among eights and ones."""
    labels = data.shown("strokes").labels
    knows = np.isin(labels, cards.read(NAME).recipe.classes)
    found = np.where(knows, labels, -1)
    for place in np.flatnonzero(knows)[wrong]:
        found[place] = 9 - found[place]
    monkeypatch.setattr(findings, "asking", lambda *_: Finished())
    monkeypatch.setattr(findings, "answers", lambda job: found)
    test = AppTest.from_function(page, default_timeout=120).run()
    assert not test.exception
    return test


def gallery(test: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    grids = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("map_grid")]
    return unpack(grids[-1].proto.bytes)


def test_every_wrong_answer_is_counted_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    strokes = data.shown("strokes")
    places = np.flatnonzero(np.isin(strokes.labels, (8, 1)))[[0, 3]]
    test = shown(monkeypatch, [0, 3])
    (table,) = [one.value for one in test.markdown if "answered 8" in one.value]
    counts = {
        line.split("|")[1].strip(): [int(cell) for cell in line.split("|")[2:4]] for line in table.splitlines()[2:]
    }
    for row, label in enumerate((8, 1)):
        wrong = int((strokes.labels[places] == label).sum())
        right = int((strokes.labels == label).sum()) - wrong
        assert counts[str(label)] == ([right, wrong] if row == 0 else [wrong, right])
    header, arrays = gallery(test)
    images = np.stack([Picture("strokes", int(strokes.numbers[place])).picture for place in places])
    np.testing.assert_allclose(arrays["maps"], images.mean(3) / 255)
    assert header["labels"] == [f"{strokes.numbers[at]}: {9 - strokes.labels[at]}?" for at in places]


def test_where_all_answers_are_correct_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There are none." in [one.value for one in shown(monkeypatch, []).markdown]


def test_pictures_are_named_as_what_they_are() -> None:
    assert accuracy.which("strokes") == "test pictures"
    assert accuracy.which("fashion_mnist") == "200 sample pictures"

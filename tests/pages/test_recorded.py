"""The explorer plays a training of the visitor's own: what it shows is what was recorded."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attnviz
from attnviz.figures.record import Record
from attnviz.ui.explorer import recorded
from attnviz.ui.shared.wording import verbatim
from attnviz.views.attention import LayerView
from tests.figures import seen as small

ROOT = Path(__file__).parents[2]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    model = small.model()
    made = attnviz.record(model, small.batch(small.photo()), every=1)
    with made:
        for weight in model.parameters():
            weight.data *= 1.1
        made.done()
    monkeypatch.setenv(recorded.VARIABLE, str(made.save(tmp_path / "training.zip")))
    return made


def run(monkeypatch: pytest.MonkeyPatch, **words: str) -> tuple[AppTest, list[LayerView]]:
    shown: list[LayerView] = []
    monkeypatch.setattr(recorded, "pixel_viewer", lambda view, **_: shown.append(view))
    test = AppTest.from_file(str(ROOT / "pages" / "00_explorer.py"), default_timeout=120)
    for key, word in words.items():
        test.query_params[key] = word
    test.run()
    assert not test.exception
    return test, shown


def test_a_step_and_a_layer_are_those_that_were_recorded(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = record.moments[0]
    test, shown = run(monkeypatch)
    np.testing.assert_array_equal(shown[-1].weights(5), record.moments[1][last].weights(5))
    test.select_slider(key="step").set_value("0").run()
    assert test.query_params["step"] == "0"
    np.testing.assert_array_equal(shown[-1].weights(5), record.moments[0][last].weights(5))
    test.selectbox(key="address").set_value(first).run()
    np.testing.assert_array_equal(shown[-1].weights(5), record.moments[0][first].weights(5))
    _, shown = run(monkeypatch, step="7")
    np.testing.assert_array_equal(shown[-1].weights(5), record.moments[1][last].weights(5))


def test_a_model_can_be_looked_at_as_before_and_a_lost_file_is_said(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in ({"look": "model"}, {"model": "pixel_attention.1v8"}):
        test, shown = run(monkeypatch, **words)
        assert not shown
    assert test.selectbox(key="address").label == "Tap path"
    (tmp_path / "training.zip").unlink()
    test, shown = run(monkeypatch)
    assert not shown and test.info[0].value == verbatim("training.zip cannot be read.")

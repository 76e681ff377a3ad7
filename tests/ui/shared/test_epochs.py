"""The slider of epochs on a page, and sentences where a history cannot be read: attnviz/ui/shared/epochs.py."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.views.payload import header_of
from tests.ui.mechanisms import untrained
from tests.ui.mechanisms.pixel_attention.experiments import placed

NAME, OTHER = "pixel_attention.without", "pixel_attention.with"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    placed.place(tmp_path)
    untrained.give_history(tmp_path, NAME, (0, 2, 5), 9)
    return tmp_path


def run(model: str) -> AppTest:
    def script() -> None:
        from attnviz import cards
        from attnviz.ui.shared import epochs, page, pickers

        with page.sentences():
            epochs.slider(pickers.net(cards.names(), "pixel_attention.without"))

    test = AppTest.from_function(script)
    test.query_params["model"] = model
    return test.run()


def slider(test: AppTest) -> dict[str, Any] | None:
    found = test.get("bidi_component")
    return header_of(found[0].proto.bytes) if found else None


def test_it_stands_at_the_net_of_the_page() -> None:
    for model in (NAME, f"history:{NAME}@2"):
        test = run(model)
        header = slider(test)
        assert header is not None
        assert header["state"]["net"]["value"] == model
        assert [point["epoch"] for point in header["points"]] == [0, 2, 5, 9]
        assert header["points"][-1]["key"] == NAME
        assert test.selectbox(key="model").value == NAME, "the model is chosen apart from the epoch"
        assert not test.warning


def test_a_net_without_a_history_has_none() -> None:
    assert slider(run(OTHER)) is None


def test_a_history_that_cannot_be_read_is_a_sentence(folder: Path) -> None:
    (folder / NAME / "history" / "history.json").write_text("{")
    test = run(NAME)
    assert slider(test) is None
    assert "is damaged" in test.warning[0].value
    assert not test.exception


def test_an_epoch_that_is_not_kept_is_a_sentence() -> None:
    test = run(f"history:{NAME}@3")
    assert "no kept epoch" in test.warning[0].value
    assert slider(test) is not None

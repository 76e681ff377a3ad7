"""The pixel page alone, without the navigation: it draws, follows the address, and says what is wrong in sentences."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.payload import unpack

ROOT = Path(__file__).parents[2]


def run(**words: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "pages" / "10_pixel_attention.py"), default_timeout=60)
    for key, word in words.items():
        test.query_params[key] = word
    return test.run()


def viewer(test: AppTest) -> dict:
    (component,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("pixel_viewer")]
    return unpack(component.proto.bytes)[0]


def test_it_begins_with_an_eight() -> None:
    test = run()
    assert not test.exception
    assert viewer(test)["label"] == "8"


def test_the_address_chooses_the_picture() -> None:
    header = viewer(run(data="strokes", number="5"))
    assert header["origin"]["image"] == "strokes/test/5"


def test_results_stand_beside_the_control() -> None:
    said = "\n".join(markdown.value for markdown in run().markdown)
    assert "97.90 %" in said
    assert "a line through the pixels" in said


def test_every_wrong_answer_is_listed_on_demand() -> None:
    test = run(data="strokes")
    test.toggle(key="show_wrong").set_value(True).run()
    assert not test.exception
    assert "answered 8" in "\n".join(markdown.value for markdown in test.markdown)
    assert any(one.proto.component_name.endswith("map_grid") for one in test.get("bidi_component"))


def test_without_checkpoints_it_says_how_to_come_by_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    test = run()
    assert not test.exception
    assert "reproduce schwarz" in test.error[0].value.replace("\\", "")


def test_a_damaged_checkpoint_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "pixel_attention.1v8"
    folder.mkdir()
    (folder / "card.json").write_text(json.dumps({"name": "pixel_attention.1v8"}))
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    test = run()
    assert not test.exception
    assert "is not a card of this version" in test.error[0].value.replace("\\", "")

"""The page of attention over blocks, run without a browser."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.cnn_attention.placed import NETS, SHOWN, lay, place

from .reading import headers, run, stated, text
from .tried import tried

PAGE = "40_cnn_attention.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


def viewer(page: AppTest) -> dict:
    """Return the header of the viewer on the page."""
    [found] = headers(page, "carried_signed")
    return found


def maps(page: AppTest) -> dict:
    """Return the header of the maps of the convolutions."""
    [found] = headers(page, "layers")
    return found


@pytest.mark.parametrize("name", SHOWN)
def test_every_model_in_which_blocks_see_one_another_is_shown(page: AppTest, name: str) -> None:
    run(page, model=f"cnn_attention.{name}", data="strokes", number="23", query="2,3")
    header = viewer(page)
    assert (header["rows"], header["columns"]) == ((6, 6) if name == "digits" else (4, 6))
    assert header["unit"] == "block"
    assert header["label"] == "8"
    assert header["state"]["view"]["value"]["query"] == [1, 2]
    assert f"{header['rows'] * header['columns']} [blocks]" in text(page)
    assert not page.error


def test_the_url_names_a_stage_and_a_channel(page: AppTest) -> None:
    run(page, layer="3", stage="conv", channel="5")
    assert maps(page)["state"]["view"]["value"] == {"layer": 2, "stage": "conv", "channel": 4}
    assert [layer["path"] for layer in maps(page)["layers"]] == ["conv.0", "conv.1", "conv.2"]


def test_how_a_block_is_computed_is_drawn_once_one_asks_and_where_a_link_names_a_stage(page: AppTest) -> None:
    run(page)
    assert headers(page, "layers") == []
    run(page, stage="conv")  # as links did before it was an experiment
    assert page.session_state[key_of("computed")]
    assert maps(page)["state"]["view"]["value"]["stage"] == "conv"
    run(page, experiment="who")
    assert headers(page, "layers") == []
    run(page, experiment="computed")
    assert maps(page)["state"]["view"]["value"]["stage"] == "conv"


def test_the_experiment_says_what_was_not_trained_and_shows_weights_inside_a_block_where_there_are_some(
    page: AppTest, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(page, experiment="who")
    assert page.session_state[key_of("who")]
    assert "841,546" in text(page)
    assert text(page).count("not trained</td>") == 5
    assert "has not been trained here" in text(page)
    lay(folder, "cluttered-within", {**NETS["within"], "rows": 40, "columns": 40}, 0)
    run(page, query="2,3")
    assert "These 24 × 24 weights do not belong to positions." in text(page)
    assert text(page).count("pictures have 40 × 40 pixels in 9 × 9 blocks, which are not those of the viewer") == 1
    grid = inside(page)
    assert grid["names"]["row"] == "feature that takes"
    run(page, query="3,4")
    assert inside(page)["title"] == grid["title"]  # a block of the viewer is none of that network
    shutil.rmtree(folder / "cnn_attention.cluttered-within")


def inside(page: AppTest) -> dict:
    """Return the header of the map of the weights inside a block."""
    [grid] = [header for header in headers(page, "names") if header["names"]]
    return grid


def test_the_block_that_is_locked_is_meant_where_both_networks_see_the_same_blocks(page: AppTest, folder: Path) -> None:
    lay(folder, "cluttered-within", NETS["within"], 0)
    run(page, experiment="who", query="2,3")
    assert inside(page)["title"] == "Weights between the 24 features of the block in row 2, column 3"
    assert "Lock a block in the viewer above" in text(page)
    shutil.rmtree(folder / "cnn_attention.cluttered-within")


def test_controls_and_nonsense_in_the_url_are_a_sentence(page: AppTest) -> None:
    run(page, model="cnn_attention.within", number="zero")
    assert len(page.warning) == 2
    assert viewer(page)["origin"]["recipe"] == "digits"


def test_without_a_trained_model_the_page_says_how_to_get_one(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    run(page)
    assert "No model with attention over blocks has been trained here yet" in text(page)


def test_a_bare_url_opens_on_an_8_and_a_head_and_says_so_to_the_browser(page: AppTest) -> None:
    run(page)
    view = viewer(page)
    head = view["state"]["view"]["value"]["head"]
    assert (view["label"], head) == ("8", 6)
    assert stated(page)["head"] == "7"
    run(page, **stated(page) | {"head": "1"})
    assert viewer(page)["state"]["view"]["value"]["head"] == 0
    assert stated(page) == {}


def test_every_try_shows_what_its_words_say(page: AppTest) -> None:
    run(page)
    for label, words in tried(page):
        assert {"v", "model", "data", "number"} <= set(words)
        header = viewer(page)
        assert header["label"] == "8", label
        assert header["state"]["view"]["value"]["query"] == ([2, 3] if "block of" in label else None)
        assert page.session_state[key_of("who")] == label.endswith("?")


def test_on_digits_the_experiment_says_that_its_networks_were_trained_on_other_data(page: AppTest) -> None:
    run(page, model="cnn_attention.digits", experiment="who")
    assert "Measured with networks that were trained on Cluttered MNIST, not on the data of the model above." in text(
        page
    )

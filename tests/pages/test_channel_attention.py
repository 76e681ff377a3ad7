"""The page of attention over channels, run without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.channel_attention.placed import SHOWN, place

from .reading import headers, run, text
from .tried import tried

PAGE = "50_channel_attention.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


def gates(page: AppTest) -> dict:
    """Return the header of the gates on the page."""
    [found] = headers(page, "many")
    return found


@pytest.mark.parametrize("name", SHOWN)
def test_every_model_with_gates_is_shown(page: AppTest, name: str) -> None:
    data = {} if name == "wide" else {"data": "strokes", "number": "23"}
    run(page, model=f"channel_attention.{name}", layer="2", channel="3", **data)
    assert not page.error
    header = gates(page)
    assert header["state"]["view"]["value"] == {"layer": 1, "channel": 2, "gates": "own", "turned": []}
    assert [len(layer["kinds"]) for layer in header["layers"]] == ([4, 6] if name == "wide" else [4, 6, 8])
    assert "farthest from its mean" in text(page)


def test_gates_that_are_turned_stand_in_the_url(page: AppTest) -> None:
    run(page, gates="mean", turned="1.2-25,3.8-100")
    asked = gates(page)["state"]["view"]["value"]
    assert asked["gates"] == "mean"
    assert asked["turned"] == [[0, 1, 25], [2, 7, 100]]


def test_the_maps_show_the_gate_that_is_chosen_above(page: AppTest) -> None:
    run(page, experiment="maps", layer="3", channel="5")
    assert page.session_state[key_of("maps")]
    [found] = headers(page, "stages")
    assert found["state"]["view"]["value"] == {"layer": 2, "stage": "gate", "channel": 4}
    assert list(found["stages"])[-2:] == ["gate", "output"]


def test_the_maps_follow_what_the_url_turns(page: AppTest) -> None:
    run(page, experiment="maps", gates="mean", turned="1.2-25,3.8-100")
    [found] = headers(page, "stages")
    assert (found["origin"]["gates"], found["origin"]["turned"]) == ("mean", "1.2-25,3.8-100")
    assert "The gates of these maps: all at their mean, and 2 set by hand." in text(page)


def test_accuracy_with_gates_at_their_mean_is_that_of_the_card(page: AppTest) -> None:
    run(page, experiment="constant")
    said = text(page)
    assert "all at the mean" in said
    assert "block 1 at the mean" in said
    assert "<b>70.00</b>" in said
    assert "\u221210.00" in said
    assert "with every gate at its mean the accuracy falls by 10.00 points" in said


def test_a_model_without_such_tests_says_so(page: AppTest) -> None:
    run(page, model="channel_attention.digits-cbam", experiment="constant")
    assert "no test with other gates" in text(page)


def test_the_share_between_classes_stands_beside_that_of_shuffled_labels(page: AppTest) -> None:
    run(page, experiment="shared", layer="2", data="strokes")
    assert "the same, labels shuffled" in text(page)
    [found] = headers(page, "names")
    assert found["title"].startswith("Block 2: mean gates of each class")
    assert len(found["names"]["columns"]) == 6


def test_what_was_not_trained_is_said(page: AppTest) -> None:
    run(page, experiment="pays")
    assert "not trained</td>" in text(page)
    assert "Not decided" in text(page)
    assert "minus no gates, points (95 % interval)" in text(page)


def test_every_try_shows_gates(page: AppTest) -> None:
    for _, words in tried(page):
        assert {"model", "data", "number", "layer"} <= set(words)
        assert gates(page)["state"]["view"]["value"]["gates"] == words.get("gates", "own")

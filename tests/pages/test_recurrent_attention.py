"""The page of recurrent attention, run without a browser."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.data import samples, strokes
from attnviz.data.cluttered import CLUTTERED, thrown
from attnviz.data.inputs import drawing
from attnviz.ui.mechanisms.recurrent_attention.experiments import EXPERIMENTS
from attnviz.ui.shared.experiments import key_of
from attnviz.views.payload import unpack
from tests.ui.mechanisms.recurrent_attention.placed import NETS, SOURCE, lay, place

from .conftest import PAGES
from .reading import headers, run, text
from .tried import tried

DRAWN = strokes.load("test", 256)[0][23, :, :, 0]
PAGE = "30_recurrent_attention.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


def players(page: AppTest) -> list[dict]:
    """Return the headers of the players on the page."""
    return headers(page, "policy")


@pytest.mark.parametrize("name", NETS)
def test_every_model_is_shown_with_sample_pictures_alone(page: AppTest, name: str) -> None:
    run(page, model=f"recurrent_attention.{name}", draw="3")
    [header] = players(page)
    assert header["checkpoint"] == f"recurrent_attention.{name}"
    assert header["policy"] == NETS[name].get("policy", "learnt")
    assert header["ask"]["number"] in samples.read(SOURCE).numbers
    assert header["draw"] == 2
    assert not page.error


def test_the_url_names_what_is_looked_at(page: AppTest) -> None:
    run(page, model="recurrent_attention.small", glimpse="3", locations="means", moved="2.5.7")
    [header] = players(page)
    assert header["draw"] is None
    assert header["state"]["view"]["value"] == {"glimpse": 2, "locations": "means", "draw": 0, "moved": [[1, 4, 6]]}


def test_numbers_of_a_path_that_is_no_longer_shown_are_said_to_be_without_what_was_moved(page: AppTest) -> None:
    said = {}
    for moved in ({}, {"moved": "2.5.7"}):
        said[len(moved)] = text(run(page, model="recurrent_attention.small", **moved))
    assert "On this picture it predicts" in said[0] and "moved, it predicts" not in said[0]
    assert "On this picture, with no glimpse moved, it predicts" in said[1]


@pytest.mark.parametrize("source", [None, SOURCE])
def test_it_opens_on_a_picture_that_is_answered_correctly(page: AppTest, source: str | None) -> None:
    run(page, model="recurrent_attention.small", **({"data": source} if source else {}))
    arrays = unpack(
        next(one for one in page.get("bidi_component") if "policy" in unpack(one.proto.bytes)[0]).proto.bytes
    )
    header, belief = arrays[0], arrays[1]["belief"]
    assert header["classes"][belief[-1].argmax()] == header["label"]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
@pytest.mark.parametrize("name", ["small", "ring"])
def test_every_experiment_opens(page: AppTest, experiment: str, name: str) -> None:
    run(page, model=f"recurrent_attention.{name}", experiment=experiment)
    assert page.session_state[key_of(experiment)]
    assert not page.error
    if experiment == "depends" and name == "small":
        assert [bool(header["forced"]) for header in players(page)] == [False, False, True, True]
        assert "| at places chosen for another picture |" in text(page)
    if experiment == "depends" and name == "ring":
        [refused] = [one.value for one in page.info if "locations" in one.value]
        assert "the same for every picture" in refused
        assert len(players(page)) == 1
    if experiment in ("worth", "published", "fewer"):
        assert "Not trained: " in text(page)


@pytest.fixture
def cluttered(page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Return the page with a model of cluttered pictures, and a drawing in the URL."""
    config = {"glimpses": 2, "size": 6, "scales": 2, "rows": 40, "columns": 40, "features": 8, "width": 8}
    lay(tmp_path / "cards", "clutter", config, 0, "cluttered_strokes")
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "cards"))
    page.query_params["drawing"] = drawing.word(drawing.name(DRAWN))
    return page


def seen(page: AppTest) -> np.ndarray:
    """Return the picture that the live channel would be asked about."""
    [header] = players(page)
    return drawing.read(header["ask"]["data"])


def test_a_drawing_stands_among_clutter_that_the_url_names(cluttered: AppTest) -> None:
    how = CLUTTERED["cluttered_strokes"]
    run(cluttered)
    assert not cluttered.error and not cluttered.warning
    np.testing.assert_array_equal(seen(cluttered), thrown(DRAWN, how, seed=1)[:, :, 0])
    next(one for one in cluttered.button if one.label == "New clutter").click().run()
    assert cluttered.query_params["clutter"] == "2"
    np.testing.assert_array_equal(seen(cluttered), thrown(DRAWN, how, seed=2)[:, :, 0])
    next(one for one in cluttered.toggle if "clutter" in one.label).set_value(False).run()
    assert cluttered.query_params["clutter"] == "0"
    np.testing.assert_array_equal(seen(cluttered), DRAWN)


def test_nonsense_as_clutter_is_a_sentence_and_a_picture_of_a_data_set_has_none(cluttered: AppTest) -> None:
    run(cluttered, clutter="many")
    assert "valid numbers are 0 to 1" in text(cluttered)
    del cluttered.query_params["drawing"]
    run(cluttered, clutter="3")
    assert players(cluttered)[0]["ask"]["data"] == "cluttered_strokes"
    assert not any("clutter" in one.label for one in cluttered.toggle)


def test_nonsense_in_the_url_is_a_sentence(page: AppTest) -> None:
    run(page, model="recurrent_attention.none", experiment="x", number="zero", draw="-2")
    assert len(page.warning) == 3
    assert players(page)[0]["draw"] == 0


def test_without_a_trained_model_the_page_says_how_to_get_one(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    run(page)
    assert "No recurrent attention model has been trained here yet" in text(page)


def test_every_try_shows_what_its_words_say() -> None:
    page = run(AppTest.from_file(PAGES / PAGE, default_timeout=120), model="recurrent_attention.digits")
    for label, words in tried(page):
        assert {"v", "model", "data", "number"} <= set(words)
        header = players(page)[0]
        assert header["label"] == "8", label
        assert bool(header["state"]["view"]["value"]["moved"]) == ("moved" in label)
        assert page.session_state[key_of("depends")] == label.endswith("?")

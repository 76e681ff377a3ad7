"""The page of element-wise attention, run without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import data
from attnviz.data import samples
from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.element_wise.placed import NETS, place

from .conftest import PAGES
from .reading import headers, run, text
from .tried import tried

PAGE = "20_element_wise.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


def grids(page: AppTest) -> list[dict]:
    """Return the headers of the stage grids on the page."""
    return headers(page, "layers")


@pytest.mark.parametrize("name", NETS)
def test_every_model_is_shown_with_sample_pictures_alone(page: AppTest, name: str) -> None:
    run(page, model=f"element_wise.{name}")
    header = grids(page)[0]
    assert header["checkpoint"] == f"element_wise.{name}"
    assert header["asked"]["data"] == NETS[name][0]
    assert header["asked"]["number"] in samples.read(NETS[name][0]).numbers
    assert "What it means" in [one.value for one in page.header]
    assert not page.error


def test_what_it_means_has_the_numbers_of_this_picture(page: AppTest) -> None:
    run(page, model="element_wise.small")
    assert "1/28 × 1/28 = 0.001276" in text(page)
    assert "(#term-batch-normalisation) divides by the root of" in text(page)
    run(page, model="element_wise.blocks")
    assert "In place of a norm, this model multiplies its relevance by 49" in text(page)


def test_the_url_names_what_is_locked_and_switched(page: AppTest) -> None:
    run(page, model="element_wise.small", pixel="12,9", layer="2", head="mean", skip="no", off="1.2")
    view = grids(page)[0]["state"]["view"]["value"]
    assert view["inside"]  # as this link did before it could be closed
    assert (view["pixel"], view["layer"], view["head"], view["skip"], view["off"]) == (
        [11, 8],
        1,
        "mean",
        False,
        [[0, 1]],
    )


def test_two_models_stand_side_by_side(page: AppTest) -> None:
    run(page, model="element_wise.small", beside="element_wise.normed")
    assert [header["checkpoint"] for header in grids(page)] == ["element_wise.small", "element_wise.normed"]
    assert "element_wise.colour" not in page.selectbox(key="beside").options, "it takes other pictures"


def test_every_try_shows_what_its_words_say() -> None:
    page = run(AppTest.from_file(PAGES / PAGE, default_timeout=120), number="7")
    said: dict[str, dict[str, object]] = {
        "a pixel of a boot": {"skip": True, "inside": False},
        "while it learns": {"skip": True, "inside": False},
        "does the norm normalise?": {"skip": True, "inside": False},
    }
    found = []
    for label, words in tried(page):
        found.append(label)
        assert {"v", "model", "data", "number"} <= set(words)
        few = samples.read(words["data"])
        at = few.numbers.tolist().index(int(words["number"]))
        assert data.DATASETS[words["data"]].classes[few.labels[at]] == "ankle boot"
        asked = grids(page)[0]["state"]["view"]["value"]
        assert {name: asked[name] for name in said[label]} == said[label]
        if "pixel" in words:
            row, column = asked["pixel"]
            assert few.images[at][row, column].max() > 64  # on the boot, not beside it
        assert page.session_state[key_of("norm")] == (label == "does the norm normalise?")
    assert found == list(said)


@pytest.mark.parametrize("experiment", ["norm", "copy", "dying", "heads", "worth"])
@pytest.mark.parametrize("name", ["small", "blocks", "colour"])
def test_every_experiment_opens(page: AppTest, experiment: str, name: str) -> None:
    run(page, model=f"element_wise.{name}", experiment=experiment)
    assert page.session_state[key_of(experiment)]
    assert not page.error
    if experiment == "dying":
        assert "of 60 seeds" in text(page).lower()
    if experiment == "norm" and name == "blocks":
        assert "does not normalise its relevance" in text(page)


def test_nonsense_in_the_url_is_a_sentence(page: AppTest) -> None:
    run(page, model="element_wise.none", experiment="x", number="zero")
    assert len(page.warning) == 3
    assert grids(page)


def test_without_a_trained_model_the_page_says_how_to_get_one(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    run(page)
    assert "No element-wise attention model has been trained here yet" in text(page)

"""The page of recurrent attention, run without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards
from attnviz.data import samples
from attnviz.ui.components.payload import unpack
from attnviz.ui.mechanisms.recurrent_attention.experiments import EXPERIMENTS
from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.recurrent_attention.placed import NETS, SOURCE, place

from .tried import tried

PAGE = str(Path(__file__).parents[2] / "pages" / "30_recurrent_attention.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def page(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Return the page, not run yet, with small checkpoints and no downloaded data."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    return AppTest.from_file(PAGE, default_timeout=60)


def run(page: AppTest, **words: str) -> AppTest:
    for name, word in words.items():
        page.query_params[name] = word
    page.run()
    assert not page.exception
    return page


def players(page: AppTest) -> list[dict]:
    """Return the headers of the players on the page."""
    headers = [unpack(one.proto.bytes)[0] for one in page.get("bidi_component")]
    return [header for header in headers if "policy" in header]


def text(page: AppTest) -> str:
    kinds = ("markdown", "info", "warning", "error", "caption")
    return "\n".join(one.value for kind in kinds for one in page.get(kind))


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


@pytest.mark.parametrize("experiment", EXPERIMENTS)
@pytest.mark.parametrize("name", ["small", "ring"])
def test_every_experiment_opens(page: AppTest, experiment: str, name: str) -> None:
    run(page, model=f"recurrent_attention.{name}", experiment=experiment)
    assert page.session_state[key_of(experiment)]
    assert not page.error
    if experiment == "depends":
        assert [bool(header["forced"]) for header in players(page)] == [False, False, True, True]
        assert ("along the path of another picture" in text(page)) == (name == "small")
    if experiment in ("worth", "published", "fewer"):
        assert "Not trained: " in text(page)
    if experiment == "fifty":
        assert "Of 50 draws, " in text(page)


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
    if "recurrent_attention.digits" not in cards.names():
        pytest.skip("the model of the digits is not trained here")
    page = run(AppTest.from_file(PAGE, default_timeout=60), model="recurrent_attention.digits")
    for label, words in tried(page):
        assert {"v", "model", "data", "number"} <= set(words)
        header = players(page)[0]
        assert header["label"] == "8", label
        assert bool(header["state"]["view"]["value"]["moved"]) == ("moved" in label)
        assert page.session_state[key_of("depends")] == label.endswith("?")

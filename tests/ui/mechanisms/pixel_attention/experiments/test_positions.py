"""Position codes on the page: the model's own or one that could be joined, said so; places and nonsense."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.views.payload import unpack

from .opened import opened
from .placed import place

ROOT = Path(__file__).parents[5]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path)))


def run(model: str = "with", **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{model}", "experiment": "positions", "number": "5", **words})


def sent(test: AppTest) -> tuple[dict, dict[str, np.ndarray]]:
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("moving_maps")]
    return unpack(found.proto.bytes)


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


def waves(place: int, features: int, longest: float) -> list[float]:
    """Return the code of one number by the formula, term by term."""
    found = []
    for i in range(features // 2):
        angle = place / longest ** (2 * i / features)
        found += [np.sin(angle), np.cos(angle)]
    return found


def test_the_models_own_code_is_drawn_and_said_to_be_its_own() -> None:
    test = run()
    header, arrays = sent(test)
    assert arrays["code"].shape == (14 * 14, 8)
    np.testing.assert_allclose(arrays["code"][3 * 14 + 5], waves(3, 4, 1e4) + waves(5, 4, 1e4), atol=1e-6)
    np.testing.assert_array_equal(arrays["maps_2"], arrays["code"].T)
    assert "this model's own code" in prose(test)
    assert header["start"] == 7 * 14 + 7


@pytest.mark.parametrize("longest", ["10000", "100", "10"])
def test_another_code_could_be_joined(longest: str) -> None:
    test = run("without", code="sinusoidal_1d", longest=longest)
    _, arrays = sent(test)
    assert arrays["code"].shape == (784, 32)
    np.testing.assert_allclose(arrays["code"][700], waves(700, 32, float(longest)), atol=1e-4)
    assert "This model has no code" in prose(test)
    assert "could be joined" in prose(test)


def test_other_waves_than_the_models_are_not_its_own() -> None:
    assert "This model has another code" in prose(run(longest="10"))


def test_a_learned_code_that_nobody_trained_is_said_to_be_noise() -> None:
    test = run(code="learned")
    assert "it is noise" in prose(test)
    code = sent(test)[1]["code"]
    assert abs(code.mean()) < 0.1
    assert code.std() == pytest.approx(1, abs=0.1)


def test_a_place_and_a_likeness_stand_in_the_url() -> None:
    header, arrays = sent(run(place="3,5", likeness="dot"))
    assert (header["state"]["at"]["value"], header["cosine"]) == (2 * 14 + 4, False)
    assert header["panes"][1]["bounds"][1] == pytest.approx((arrays["code"] ** 2).sum(1).max())


@pytest.mark.parametrize("word", ["15,1", "0,1", "x", "1", "1,2,3", "-1,2"])
def test_a_place_that_is_none_is_a_sentence(word: str) -> None:
    test = run(place=word)
    assert any("position" in warning.value for warning in test.warning)
    assert sent(test)[0]["state"]["at"]["value"] is None


def test_one_token_has_one_place() -> None:
    assert "there is only one position" in run("one-token").info[-1].value

"""The page of vision transformers, run without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.mechanisms.vision_transformer.experiments import EXPERIMENTS
from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.vision_transformer.placed import SHOWN, place

from .reading import headers, run, text

PAGE = "45_vision_transformer.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.mark.parametrize("name", SHOWN)
def test_every_vision_transformer_is_shown(page: AppTest, name: str) -> None:
    run(page, model=f"vision_transformer.{name}", layer="3", head="2", query="0,1", direction="to")
    assert not page.error
    [header] = headers(page, "layers")
    asked = header["state"]["view"]["value"]
    assert (asked["layer"], asked["head"], asked["query"], asked["direction"]) == (2, 1, [-1, 0], "to")
    assert header["layers"] == 3
    assert "On this picture the largest weight of all is" in text(page)


@pytest.mark.parametrize("kind", ["query", "picture", "across"])
def test_a_second_board_stands_beside_the_first(page: AppTest, kind: str) -> None:
    run(page, data="strokes", number="23", beside=kind, query="2,2", other_query="4,3", other_number="4", layer="2")
    assert not page.error and not page.exception
    first, second = headers(page, "layers")
    asked = [one["state"]["view"]["value"] for one in (first, second)]
    assert [one["layer"] for one in asked] == [1, 1]
    assert [one["query"] for one in asked] == [[1, 1], [3, 2] if kind == "query" else [1, 1]]
    assert (first["origin"]["image"] == second["origin"]["image"]) == (kind == "query")
    assert second["origin"].get("queries of") == (first["origin"]["image"] if kind == "across" else None)
    assert ("do not occur in any pass" in text(page)) == (kind == "across")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_draws_its_finding(page: AppTest, name: str) -> None:
    run(page, experiment=name)
    assert not page.error
    assert not page.exception
    assert page.session_state[key_of(name)]
    assert "**" in text(page)


def test_a_control_with_even_attention_is_not_offered(page: AppTest) -> None:
    run(page)
    assert not page.error
    assert "vision_transformer.even" not in str(page.selectbox[0].options)

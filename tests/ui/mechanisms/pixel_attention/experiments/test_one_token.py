"""The picture as one token: kernels before and after, the one weight, the line; whatever model is chosen."""

from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints
from attnviz.recipes.recipe import changed
from attnviz.recipes.schwarz import ONE_TOKEN
from attnviz.subjects import net
from attnviz.training import seeds
from attnviz.ui.mechanisms.pixel_attention.experiments import one_token
from attnviz.views.payload import unpack
from tests.training import small

from .opened import opened
from .placed import place

ROOT = Path(__file__).parents[5]
RECIPE = changed(ONE_TOKEN, data="strokes", epochs=2, tests=(), batch=16, learning_rate=1e-3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one token, really trained for two epochs, beside others."""
    home = tmp_path_factory.mktemp("one-token")
    with small.place(home, RECIPE):
        seeds.train(RECIPE, [3], device="cpu", threads=1, report=lambda seed, event: None)
    return place(home / "checkpoints")


def run(model: str = "without", **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{model}", "experiment": "one_token", "number": "5", **words})


def drawn(test: AppTest, title: str) -> tuple[dict, dict[str, np.ndarray]]:
    grids = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("map_grid")]
    return next(found for found in (unpack(one.proto.bytes) for one in grids) if title in found[0]["title"])


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


def test_query_and_key_have_not_moved_and_value_has(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    test = run()
    header, arrays = drawn(test, "kernels")
    model, card = checkpoints.load(one_token.NAME)
    assert card.seed == 3
    for row, part in enumerate(("query", "key", "value")):
        before, after, difference = arrays["maps"][3 * row : 3 * row + 3]
        layer = getattr(model.attention, part)
        np.testing.assert_array_equal(after.ravel(), layer.weight[0].double().numpy())
        assert np.abs(before).max() <= np.sqrt(6 / 785)  # Glorot's bound
        np.testing.assert_array_equal(difference, after - before)
        assert (np.abs(difference).max() == 0) == (part != "value")
    assert header["table"]["heads"] == ["before training", "after training", "difference"]
    assert "Training has changed :orange[query] and :blue[key] by exactly 0" in prose(test)
    assert "the only weight on this picture is 1." in prose(test)


def test_the_line_is_the_net(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    test = run("1v8-one-token")
    header, arrays = drawn(test, "whole network")
    model, _ = checkpoints.load(one_token.NAME)
    pictures = torch.rand(5, 1, 28, 28, generator=torch.Generator().manual_seed(0)).double()
    odds = (arrays["maps"][0] * pictures[:, 0].numpy()).sum((1, 2)) + header["origin"]["bias"]
    np.testing.assert_allclose(odds, model.double()(pictures)[:, 0].numpy(), rtol=1e-9)
    assert "the two differ by" in prose(test)
    assert one_token.kernels(net(one_token.NAME).load(double=True)).apart < 1e-9
    assert not [button for button in test.button if "Open this model" in button.label]


def test_the_model_is_a_click_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    test = run()
    next(button for button in test.button if "Open this model" in button.label).click().run()
    assert test.query_params["model"] == one_token.NAME
    assert test.query_params["experiment"] == "one_token"


def test_where_it_is_missing_it_is_said_to_be_not_trained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path)))
    assert "*not trained*" in run().info[-1].value

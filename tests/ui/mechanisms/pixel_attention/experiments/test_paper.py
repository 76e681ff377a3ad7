"""The paper's pictures on the page: which model draws, the count, tiles against layers, nonsense as sentences."""

from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import cards, checkpoints, data
from attnviz.recipes.recipe import changed
from attnviz.recipes.schwarz import SIMPLE
from attnviz.training import seeds
from attnviz.ui.mechanisms.pixel_attention.experiments import paper
from attnviz.views.payload import unpack

from .opened import opened
from .placed import STANDARD, lay, place

ROOT = Path(__file__).parents[5]
NUMBER = 5
SMALL = {
    "name": "1v8",
    "data": "strokes",
    "title": "Small, one head",
    "config": {"heads": 1, "head_size": 1, **STANDARD},
}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    lay(tmp_path, changed(SIMPLE, **SMALL), 7, 0.7)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path)))
    return tmp_path


def run(model: str = "without", **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{model}", "experiment": "paper", "number": str(NUMBER), **words})


def drawn(test: AppTest, name: str = "map_grid") -> list[tuple[dict, dict[str, np.ndarray]]]:
    found = [one for one in test.get("bidi_component") if one.proto.component_name.endswith(name)]
    return [unpack(one.proto.bytes) for one in found]


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


def picture() -> torch.Tensor:
    return torch.from_numpy(data.load("strokes", "test", count=256).images[NUMBER, ..., 0].copy()).double() / 255


def layer(name: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return weight and bias of one part's components, (head, component), from the file of weights."""
    model, card = checkpoints.load(name)
    one = getattr(model.double().attention, part)
    shape = card.config["heads"], card.config["head_size"]
    return one.weight[:, 0].numpy().reshape(shape), one.bias.numpy().reshape(shape)


@pytest.mark.parametrize("part", ["query", "key", "value"])
def test_figure_10_is_the_layer_and_the_signs_are_counted(folder: Path, part: str) -> None:
    test = run(figure="10", part=part, tile="4")
    (own, maps), (truly, same), (signs, weights) = drawn(test)
    weight, bias = layer("pixel_attention.without", part)
    standard = ((picture() - STANDARD["mean"]) / STANDARD["std"]).numpy()
    for number, (component, head) in enumerate(np.ndindex(2, 3)):
        wanted = weight[head, component] * standard + bias[head, component]
        np.testing.assert_allclose(maps["maps"][number], wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(maps["maps"], same["maps"])
    assert (own["role"], truly["role"], own["state"]["chosen"]["value"]) == ("own", "signed", 3)
    up = int((weight > 0).sum())
    assert f"{up} of 6 tiles are the picture, {6 - up} are its negative, and 0 are anything else" in prose(test)
    assert signs["labels"] == ["query", "key", "value"]
    np.testing.assert_allclose(weights["maps"][["query", "key", "value"].index(part)], weight.T)
    (header, arrays), (start, pictured) = drawn(test, "moving_maps")[0], (weight[0, 1], standard)
    assert header["start"] == pytest.approx(start)
    assert header["bias"] == pytest.approx(bias[0, 1])
    np.testing.assert_allclose(arrays["picture"], pictured)


def test_before_training_is_what_recipe_and_seed_give(folder: Path) -> None:
    card = cards.read("pixel_attention.without")
    model = seeds.build(card.recipe, torch.Generator().manual_seed(card.seed))
    before = torch.stack([getattr(model.attention, part).weight[:, 0] for part in ("query", "key", "value")])
    now = np.stack([layer(card.name, part)[0] for part in ("query", "key", "value")])
    up, turned = int((before[0] > 0).sum()), int((before.detach().numpy().reshape(now.shape) * now < 0).sum())
    text = prose(run(figure="10"))
    assert (
        f"these counts were {up}, {6 - up} and 0." in text and f"training has reversed {turned} of the 18 signs" in text
    )


def test_a_model_with_positions_has_neither(folder: Path) -> None:
    test = run("with", figure="8")
    assert "0 of 6 tiles are the picture, 0 are its negative, and 6 are anything else" in prose(test)
    assert not drawn(test, "moving_maps")


@pytest.mark.parametrize(
    ("model", "figure", "title", "tiles"),
    [
        ("1v8", "4", "one head", 3), ("without", "4", "one head", 3), ("one-token", "5", "one head", 5),
        ("without", "6", "one head", 7), ("without", "8", "without", 6), ("without", "9", "without", 7),
        ("with", "9", "with", 7), ("with", "11", "with", 7),
    ],
)  # fmt: skip
def test_each_figure_is_drawn_by_a_model_of_its_kind(
    folder: Path, model: str, figure: str, title: str, tiles: int
) -> None:
    test = run(model, figure=figure)
    assert f"figure {figure} shows" in prose(test)
    assert f"is drawn from *Small, {title}*" in prose(test)
    own, truly = drawn(test)[:2]
    assert len(own[1]["maps"]) == len(truly[1]["maps"]) == tiles


def test_where_pixels_take_from_is_the_softmax_of_their_scores(folder: Path) -> None:
    test = run("1v8", figure="5")
    (_, maps), (header, _) = drawn(test)
    (wq,), (bq,) = (array.ravel() for array in layer("pixel_attention.1v8", "query"))
    (wk,), (bk,) = (array.ravel() for array in layer("pixel_attention.1v8", "key"))
    tokens = ((picture() - STANDARD["mean"]) / STANDARD["std"]).flatten()
    scores = (wq * tokens + bq)[:, None] * (wk * tokens + bk)
    places = header["outlined"]
    assert [float(picture().flatten()[place]) for place in places] == [0.0] * 4 + [float(picture().max())]
    wanted = scores.softmax(1)[places].reshape(5, 28, 28)
    np.testing.assert_allclose(maps["maps"], wanted.numpy(), rtol=1e-9)
    half = [int((row.sort(descending=True).values.cumsum(0) < 0.5).sum()) + 1 for row in wanted.flatten(1)]
    assert f"background 1: {half[0]}, " in prose(test)
    assert f"ink: {half[4]})" in prose(test)


def test_intensities_of_0_to_255_are_a_click_away(folder: Path) -> None:
    unscaled = {**SMALL, "name": "1v8-unscaled", "title": "Unscaled"}
    lay(folder, changed(SIMPLE, **unscaled), 8, 0.7)
    test = run("without", figure="5")
    next(button for button in test.button if button.label.startswith("Draw it")).click().run()
    assert not test.exception
    assert test.query_params["model"] == "pixel_attention.1v8-unscaled"
    assert "Here it is drawn from *Unscaled*." in prose(test)


def test_a_figure_of_a_model_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path)))
    test = run("without", figure="4")
    assert "pixel_attention.1v8" in test.error[0].value.replace("\\", "")


def test_nonsense_in_the_url_is_a_sentence_and_the_default(folder: Path) -> None:
    test = run(figure="7", tile="99", turn="x")
    warnings = "\n".join(warning.value.replace("\\", "") for warning in test.warning)
    for part in ("figure '7'", "tile '99'", "turn 'x'"):
        assert part in warnings
    assert drawn(test, "moving_maps")[0][0]["state"]["at"]["value"] is None


@pytest.mark.parametrize("word", ["nan", "inf", "-1e9", "", "1,5"])
def test_a_handle_goes_no_further_than_its_ends(folder: Path, word: str) -> None:
    test = run(turn=word)
    assert "turn" in test.warning[0].value
    assert drawn(test, "moving_maps")[0][0]["state"]["at"]["value"] is None


def test_every_figure_of_the_paper_has_its_words() -> None:
    assert [*paper.FIGURES] == ["4", "5", "6", "8", "9", "10", "11"]

"""Query, key and value on the page: the maps are those of a trace, the words fit them, nonsense is a sentence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, data
from attnviz.answers import as_batch
from attnviz.grids import Grid
from attnviz.subjects import net
from attnviz.tracing import trace
from attnviz.ui.mechanisms.pixel_attention.experiments import qkv
from attnviz.ui.shared.wording import short
from tests.training import small
from tests.training.several import HEADS, NAME, SIZE

from .opened import component, opened

ROOT = Path(__file__).parents[5]
NUMBER = 5


def run(**words: str) -> AppTest:
    return opened({"model": NAME, "experiment": "qkv", "number": str(NUMBER), **words})


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


@pytest.mark.parametrize("part", ["query", "key", "value", "mixed"])
def test_the_maps_are_those_of_a_trace(several: Path, part: str) -> None:
    header, arrays = component(run(qkv=part), "map_grid")
    model, _ = checkpoints.load(NAME)
    picture = data.load("strokes", "test", count=256).images[NUMBER]
    pixels = as_batch(picture, double=True)
    with torch.no_grad(), trace(model.double(), f"attention.{part}") as seen:
        model(pixels)
    reading = seen[f"attention.{part}"].tensor[0].numpy()  # (head, token, component)
    assert header["table"] == {"columns": HEADS, "rows": ["1", "2"], "heads": ["1", "2", "3", "4"]}
    for head in range(HEADS):
        for row in range(SIZE):
            found = arrays["maps"][row * HEADS + head]
            np.testing.assert_allclose(found, reading[head, :, row].reshape(28, 28), rtol=1e-9, atol=1e-12)
            assert header["labels"][row * HEADS + head] == f"head {head + 1}, component {row + 1}"
    assert header["origin"]["address"] == f"attention.{part}"
    lowest, highest = header["bounds"]
    assert lowest <= arrays["maps"].min()
    assert arrays["maps"].max() <= highest


def test_a_chosen_map_is_framed_and_told_as_a_line(several: Path) -> None:
    test = run(qkv="key", qkv_tile="3,2")
    header, _ = component(test, "map_grid")
    assert header["state"]["chosen"]["value"] == 1 * HEADS + 2
    model, card = checkpoints.load(NAME)
    slope = float(model.attention.key.weight[2 * SIZE + 1, 0]) / card.config["std"]
    assert f"Head 3, component 2: {short(slope)} × intensity" in prose(test)
    assert f"{int((model.attention.key.weight > 0).sum())} components of the key rise" in prose(test)


def test_nothing_is_said_of_a_line_where_attention_has_mixed(several: Path) -> None:
    test = run(qkv="mixed", qkv_tile="3,2")
    assert "averaged with the weights" in prose(test)
    assert "Head 3, component 2" not in prose(test)


@pytest.mark.parametrize("word", ["5,1", "1,3", "0,1", "1", "x,y", "1,1,1", "²,1", "9" * 9 + ",1"])
def test_a_map_that_is_not_there_is_a_sentence(several: Path, word: str) -> None:
    test = run(qkv_tile=word)
    assert "None is chosen" in test.warning[0].value.replace("\\", "")
    assert component(test, "map_grid")[0]["state"]["chosen"]["value"] is None


def test_a_part_that_is_not_there_is_a_sentence_and_the_query(several: Path) -> None:
    test = run(qkv="querry")
    assert "Did you mean 'query'?" in test.warning[0].value.replace("\\", "")
    assert component(test, "map_grid")[0]["title"].startswith("Query")


def test_one_head_of_one_component_is_a_table_of_one(several: Path) -> None:
    small.lay(several, *small.checkpoint()[1:])
    header, arrays = component(run(), "map_grid")
    assert header["title"] == "Query of 1 head, 1 component"
    assert arrays["maps"].shape == (1, 28, 28)


def test_a_model_of_one_token_is_refused_in_a_sentence(several: Path) -> None:
    several_tokens = net(NAME)
    assert qkv.refusal(several_tokens) is None
    assert "many pixels as one token" in str(qkv.refusal(replace(several_tokens, grid=Grid(1, 1))))

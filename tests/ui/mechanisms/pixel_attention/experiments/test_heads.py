"""Heads on the page: answers are those of a trace, states stand in the URL, the words fit the measures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, data
from attnviz.answers import as_batch
from attnviz.grids import Grid
from attnviz.subjects import Picture, net
from attnviz.tracing import trace
from attnviz.ui.mechanisms.pixel_attention.experiments import heads
from tests.training import small
from tests.training.several import HEADS, NAME

from .opened import component, opened

ROOT = Path(__file__).parents[5]
NUMBER = 5


def run(**words: str) -> AppTest:
    return opened({"model": NAME, "experiment": "heads", "number": str(NUMBER), **words})


def prose(test: AppTest) -> str:
    return "\n".join(element.value for element in [*test.markdown, *test.caption])


def logits_of(off: list[int], uniform: list[int]) -> np.ndarray:
    """Ask with the weights edited, spelled out in double precision."""

    def edit(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        weights[:, off] = 0
        weights[:, uniform] = 1 / weights.shape[-1]
        return weights

    model, _ = checkpoints.load(NAME)
    picture = data.load("strokes", "test", count=256).images[NUMBER]
    pixels = as_batch(picture, double=True)
    with torch.no_grad(), trace(model.double(), [], {"attention.weights": edit}):
        logits: torch.Tensor = model(pixels)
    return logits[0].numpy()


@pytest.mark.parametrize(
    ("words", "off", "uniform"),
    [
        ({}, [], []),
        ({"off": "3"}, [2], []),
        ({"off": "1,4", "uniform": "2"}, [0, 3], [1]),
        ({"off": "1-4"}, [0, 1, 2, 3], []),
    ],
)
def test_the_answer_of_the_url_is_that_of_edited_weights(
    several: Path, words: dict[str, str], off: list[int], uniform: list[int]
) -> None:
    header, arrays = component(run(**words), "head_switch")
    assert [head for head, state in enumerate(header["states"]) if state == "off"] == off
    assert [head for head, state in enumerate(header["states"]) if state == "uniform"] == uniform
    np.testing.assert_allclose(arrays["now_logits"], logits_of(off, uniform), atol=1e-5)
    np.testing.assert_allclose(arrays["before_logits"], logits_of([], []), atol=1e-5)
    now = 1 / (1 + np.exp(-arrays["now_logits"][0]))
    np.testing.assert_allclose(arrays["now_probabilities"], [1 - now, now], atol=1e-6)
    np.testing.assert_allclose(arrays["maps"].sum(axis=(1, 2)), 1, rtol=1e-9)


def test_a_head_that_is_not_there_is_a_sentence(several: Path) -> None:
    test = run(off="2,9")
    assert "head '9' to off, but there are heads 1 to 4" in test.warning[0].value.replace("\\", "")
    assert component(test, "head_switch")[0]["states"] == ["on", "off", "on", "on"]


def test_the_table_and_the_distances_are_those_of_the_measures(several: Path) -> None:
    test = run(alike="0.05")
    found = heads.measure(net(NAME).load(double=True), Picture("strokes", NUMBER))
    table = test.dataframe[0].value
    np.testing.assert_array_equal(table["head"], range(1, HEADS + 1))
    np.testing.assert_allclose(table["entropy"], found.reach.entropy)
    np.testing.assert_allclose(table["distance"] / table["times"], found.reach.even_distance)
    header, arrays = component(test, "map_grid")
    order = [int(name) - 1 for name in header["names"]["rows"]]
    assert tuple(order) == found.tree.order
    np.testing.assert_allclose(arrays["maps"][0], found.distances[np.ix_(order, order)])
    assert heads.groups_in_words(found.tree.groups(0.05)) in prose(test)


def test_groups_in_words_count_from_one() -> None:
    assert (
        heads.groups_in_words([(4, 0), (2,), (1, 3)])
        == "Heads **1, 5** are similar. Heads **2, 4** are similar. In no group: 3."
    )
    assert heads.groups_in_words([(0,), (1,)]) == "No two heads are similar."


def test_one_head_has_nobody_to_be_like(several: Path) -> None:
    small.lay(several, *small.checkpoint()[1:])
    test = run(off="1")
    assert component(test, "head_switch")[0]["labels"] == ["head 1"]
    assert not [one for one in test.get("bidi_component") if one.proto.component_name.endswith("map_grid")]


def test_the_finding_says_whether_a_single_head_is_needed() -> None:
    whole, none = [0.1, 0.9], [0.7, 0.3]
    prose = heads.finding(np.array([whole, none, [0.2, 0.8], [0.15, 0.85]]), ("1", "8"))
    assert "**On this picture no single head is needed**: whichever of the 2 is switched off" in prose
    assert "stays 8. Its probability falls most when head 1 is off, by 10.0 points." in prose
    assert prose.endswith("Without any head it answers **1** (70.0 %; an even guess among 2 answers has 50.0 %).")
    prose = heads.finding(np.array([whole, none, [0.6, 0.4], whole]), ("1", "8"))
    assert (
        "**On this picture 1 of 2 heads is needed**: with only head 1 switched off, the answer is no longer 8." in prose
    )
    prose = heads.finding(np.array([whole, none, [0.6, 0.4], whole, [0.8, 0.2]]), ("1", "8"))
    assert "**On this picture 2 of 3 heads are needed**: with only head 1 or 3 switched off" in prose
    assert "has a single head" in heads.finding(np.array([whole, none, none]), ("1", "8"))


def test_what_is_answered_without_heads_is_that_of_edited_weights(several: Path) -> None:
    found = heads.measure(net(NAME).load(double=True), Picture("strokes", NUMBER)).without
    for row, off in zip(found, [[], [*range(HEADS)], *([head] for head in range(HEADS))], strict=True):
        logit = logits_of(off, [])[0]
        np.testing.assert_allclose(row, [1 / (1 + np.exp(logit)), 1 / (1 + np.exp(-logit))], atol=1e-9)


def test_a_model_of_one_token_is_refused_in_a_sentence(several: Path) -> None:
    several_tokens = net(NAME)
    assert heads.refusal(several_tokens) is None
    assert "always 1" in str(heads.refusal(replace(several_tokens, grid=Grid(1, 1))))

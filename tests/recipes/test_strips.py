"""The recipes for strips of digits: attnviz/recipes/bahdanau.py, vaswani.py and strips.py."""

import pytest
import torch

from attnviz.recipes import RECIPES
from attnviz.training import seeds

STRIPS = {key: recipe for key, recipe in RECIPES.items() if recipe.objective == "texts"}


def test_all_have_as_many_parameters_within_2_percent():
    counts = {}
    for key, recipe in STRIPS.items():
        counts[key] = sum(parameter.numel() for parameter in seeds.build(recipe, torch.Generator()).parameters())
    assert max(counts.values()) <= 1.02 * min(counts.values()), counts


@pytest.mark.parametrize("key", STRIPS)
def test_all_are_trained_for_as_many_steps_or_ten_times_as_many(key: str):
    assert STRIPS[key].epochs == (120 if key.endswith("patient") else 12)
    assert (STRIPS[key].batch, STRIPS[key].clip) == (32, 1.0)


def test_models_trained_to_15_and_to_30_are_tested_on_the_same_strips():
    for short in ("encoder_decoder.strips-15", "transformer.strips-15"):
        long = short.replace("15", "30")
        assert STRIPS[short].tests == STRIPS[long].tests
        assert (STRIPS[short].data, STRIPS[long].data) == ("strips_mnist_15", "strips_mnist_30")

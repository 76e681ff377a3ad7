"""Checkpoints tell the truth, attnviz/checkpoints.py: those that are committed, and one that is made here."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from safetensors.torch import load as load_tensors
from torch import nn

import attnviz
from attnviz import cards, checkpoints, models
from attnviz.card import Card
from attnviz.recipes import RECIPES, schwarz
from attnviz.subjects import Strip
from attnviz.tracing import Layer, trace
from attnviz.training.objectives import answers, objective
from tests.committed import one_per_model

from .refused import NAME, example_of

FOLDER = Path(cards.__file__).parents[1] / "checkpoints"
COMMITTED = sorted(path.parent.name for path in FOLDER.glob("*/card.json"))
LOADED = [name for name in COMMITTED if (FOLDER / name / "weights.safetensors").exists()]


def _chosen_as_the_recipe_says(card: Card) -> None:
    if card.recipe.validation is None:
        assert card.seed == min(run.seed for run in card.runs)
    else:
        watched = f"validation_{card.recipe.watch}"
        best = max if objective(card.recipe).measures[card.recipe.watch].better == "higher" else min
        assert card.seed == best(card.runs, key=lambda run: run.kept(watched)).seed
    for run in card.runs:
        lengths = {len(values) for values in run.curve.values()}
        assert len(lengths) == 1
        if card.recipe.keep == "best":
            assert run.kept(watched) == best(run.curve[watched])
        else:
            assert {run.epoch} == lengths


def _true(name: str) -> None:
    """Hold a card against its weights."""
    model, card = attnviz.load(name)
    assert card.name == name
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    content = (cards.folder() / name / "weights.safetensors").read_bytes()
    tensors = load_tensors(content)
    assert tensors.keys() == model.state_dict().keys()
    for key, tensor in model.state_dict().items():
        assert torch.equal(tensor, tensors[key].to(tensor.dtype))
    assert card.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert card.weights_digest == checkpoints.digest(content)
    assert card.seed in [run.seed for run in card.runs]
    _chosen_as_the_recipe_says(card)
    assert [card.figure(test, name) for test in card.recipe.tests for name in test.figures] == list(card.figures)
    for figure in card.figures:
        assert figure.seeds == len(card.runs)
    assert [(one.name, one.of) for one in card.ablations] == [(one.name, one.of) for one in card.recipe.ablations]
    layers = [(path, layer) for path, layer in model.named_modules() if isinstance(layer, Layer)]
    if models.spec(card.recipe.model).per_step:
        assert card.example is None
        _reads(model, layers)
        return
    examples = example_of(card)
    assert len(examples) == 20
    expected = torch.tensor(card.example.logits)
    largest = float(expected.abs().max())  # of the sums that a processor rounds in its own order
    torch.testing.assert_close(answers(model, examples), expected, rtol=0, atol=1e-5 * largest)
    if layers:
        with trace(model) as seen:
            logits = answers(model, examples)  # all: the draws of a model that makes some are those of so many pictures
        assert set(seen) == {f"{path}.{tap}" for path, layer in layers for tap in layer.taps}
        torch.testing.assert_close(logits, expected, rtol=0, atol=1e-4 * largest)


def _reads(model: nn.Module, layers: Sequence[tuple[str, Layer]]) -> None:
    """Hold the answers of a model of texts against what strips show: most digits of ten short ones are right."""
    strips = [Strip.test("strokes", 3, number) for number in range(10)]
    images = torch.stack([torch.tensor(strip.picture[..., 0] / 255)[None].float() for strip in strips])
    with trace(model) as seen:
        said = model(images).argmax(-1)[:, :3].tolist()
    assert set(seen) == {f"{path}.{tap}" for path, layer in layers for tap in layer.taps}
    digits = [int(digit) for strip in strips for digit in strip.target or ""]
    right = [one == other for one, other in zip(itertools.chain(*said), digits, strict=True)]
    assert sum(right) > 15  # by chance 3


@pytest.mark.parametrize("name", one_per_model(LOADED))
def test_a_committed_card_tells_the_truth_about_its_weights(name):
    _true(name)


@pytest.mark.parametrize("name", COMMITTED)
def test_with_a_part_replaced_a_card_has_only_figures_that_hear_of_it(name):
    card = cards.read(name)
    known = objective(card.recipe).measures
    assert {
        figure.name for one in card.ablations for figure in one.figures if not known[figure.name].by_calling
    } == set()


@pytest.mark.parametrize("name", sorted(set(COMMITTED) - set(LOADED)))
def test_a_card_stands_without_weights_only_where_its_recipe_says_so(name):
    card = cards.read(name)
    assert card.recipe.weights is None
    assert card.parameters == sum(one.numel() for one in models.spec(card.recipe.model).build(card.config).parameters())
    _chosen_as_the_recipe_says(card)


@pytest.mark.parametrize("name", [name for name in COMMITTED if RECIPES[name].weights is None])
def test_where_a_recipe_keeps_its_weights_out_of_the_repository_there_are_none(name):
    assert not cards.weights(name).exists()


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_checkpoint_was_trained_by_the_recipe_that_is_here(name):
    assert cards.read(name).recipe == RECIPES[name]


def test_every_recipe_of_the_first_paper_has_a_committed_checkpoint():
    """Those of the paper's task, ones and eights. The others are trained one after the other: until then their tables
    say "not trained"."""
    of_the_paper = {recipe.key for recipe in schwarz.RECIPES if set(recipe.classes) == {1, 8}}
    assert len(of_the_paper) >= 10
    assert of_the_paper <= set(COMMITTED) <= set(RECIPES)


def test_a_checkpoint_made_here_tells_the_truth_about_its_weights(home):
    _true(NAME)

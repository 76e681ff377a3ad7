"""What is known of an architecture from its config alone: attnviz/models/spec.py."""

import subprocess
import sys
from dataclasses import asdict
from typing import Any

import pytest
import torch
from torch import nn

from attnviz import cards
from attnviz.data.inputs import PREPARATIONS
from attnviz.errors import BadInput, UnknownName
from attnviz.grids import Grid
from attnviz.models import MODELS, Input, ModelSpec, input_of, spec
from attnviz.models.spec import boxes
from attnviz.recipes import RECIPES, Recipe
from attnviz.training.run_file import config_of
from tests.sweeps import sweep


def kind(recipe: Recipe) -> tuple[str, dict[str, Any]]:
    """Return the model of a recipe and its config, without the amounts and shares."""
    config = config_of(recipe)
    return recipe.model, {name: ... if isinstance(value, float) else value for name, value in config.items()}


KINDS = [*map(kind, RECIPES.values())]
DIFFERENT = sweep(RECIPES.values(), lambda recipe: recipe is [*RECIPES.values()][KINDS.index(kind(recipe))])


@pytest.mark.parametrize("recipe", DIFFERENT, ids=RECIPES)
def test_a_config_says_what_the_model_that_is_built_of_it_takes_and_where_its_tokens_lie(recipe):
    config = config_of(recipe)
    model, its = spec(recipe.model).build(config).eval(), input_of(recipe.model, config)
    assert its.preparation in PREPARATIONS
    model(torch.zeros(1, its.channels, its.rows, its.columns))
    assert spec(recipe.model).grid(config) == getattr(model, "grid", None)


@pytest.mark.parametrize("recipe", DIFFERENT, ids=RECIPES)
def test_a_model_says_it_is_differentiable_where_a_gradient_reaches_the_picture(recipe):
    config = config_of(recipe)
    if "output_norm" in config:
        config["output_norm"] = 1.0  # a scale that begins near 0 may let nothing through
    generator = torch.Generator().manual_seed(0)
    model, its = spec(recipe.model).build(config, generator).double().eval(), input_of(recipe.model, config)
    images = torch.rand(1, its.channels, its.rows, its.columns, dtype=torch.float64, generator=generator)
    logits = model(images.requires_grad_())
    (gradient,) = torch.autograd.grad(logits.sum(), images, allow_unused=True)
    reached = gradient is not None and bool(gradient.abs().max() > 0)
    assert spec(recipe.model).differentiable == reached


@pytest.mark.parametrize(
    ("config", "grid"),
    [
        ({}, Grid(28, 28)),
        ({"rows": 60, "columns": 40, "pool": 2, "patch": 5}, Grid(6, 4, stride=10, field=10)),
        ({"rows": 6, "columns": 4, "pool": 2}, Grid(3, 2, stride=2, field=2)),
    ],
)
def test_tokens_are_boxes_of_pool_times_patch_pixels_that_tile_the_picture(config, grid):
    assert boxes(config) == grid


@pytest.mark.parametrize("config", [{"patch": 3}, {"pool": 0}, {"rows": 30, "patch": 28}])
def test_boxes_that_do_not_tile_the_picture_are_refused(config):
    with pytest.raises(BadInput, match="do not tile"):
        boxes(config)


def test_a_model_that_is_not_known_is_refused():
    with pytest.raises(UnknownName, match="no model 'pixel'"):
        input_of("pixel", {})


class Colour(nn.Module):
    def __init__(self, *, classes: tuple[str, ...], generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.classifier = nn.Linear(3, len(classes))

    def forward(self, images):
        return self.classifier(images.mean((2, 3)))


def test_a_third_party_adds_a_row_with_its_class(monkeypatch):
    row = ModelSpec("Colour", Colour, "Nobody, 2026", lambda config: Input(3, 32, 32, "resized"))
    monkeypatch.setitem(MODELS, "colour", row)
    assert asdict(input_of("colour", {})) == {"channels": 3, "rows": 32, "columns": 32, "preparation": "resized"}
    assert spec("colour").build({"classes": ("a", "b", "c")})(torch.rand(2, 3, 32, 32)).shape == (2, 3)
    assert spec("colour").grid({}) is None
    assert (spec("colour").differentiable, spec("colour").takes) == (True, ())
    with pytest.raises(BadInput, match="does not fit 'Colour'"):
        spec("colour").build({"hats": 3})


def test_asking_what_every_checkpoint_takes_costs_no_torch():
    code = (
        "import sys\nfrom attnviz import cards, models\nfor name in cards.names():\n"
        "    card = cards.read(name)\n    models.input_of(card.recipe.model, card.config)\n"
        "    models.spec(card.recipe.model).grid(card.config)\n"
        "assert cards.names() and 'torch' not in sys.modules"
    )
    assert cards.names()
    subprocess.run([sys.executable, "-c", code], check=True)

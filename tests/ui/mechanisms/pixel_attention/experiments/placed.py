"""Small models with drawn weights, as checkpoints that the pixel page can open: no training, and nothing is alike."""

from pathlib import Path

import torch
from torch import nn

from attnviz import models
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import changed
from attnviz.recipes.schwarz import SIMPLE
from tests.ui.mechanisms import untrained

STANDARD = {"mean": 0.13, "std": 0.31}
WITHOUT = {"heads": 3, "head_size": 2, **STANDARD}
WITH = {"heads": 3, "head_size": 2, "pool": 2, "positions": "sinusoidal_2d", "position_features": 8, **STANDARD}
ONE_TOKEN = {"heads": 1, "head_size": 1, "patch": 28, **STANDARD}
NAMES = {"without": WITHOUT, "with": WITH, "one-token": ONE_TOKEN}


def place(folder: Path, spread: float = 0.7) -> Path:
    """Write a checkpoint for each of `NAMES`, called pixel_attention.NAME, into a folder, and return it.

    Args:
        folder: of checkpoints.
        spread: standard deviation of the weights.
    """
    for seed, (name, config) in enumerate(NAMES.items()):
        lay(folder, changed(SIMPLE, name=name, title=f"Small, {name}", data="strokes", config=config), seed, spread)
    return folder


def lay(folder: Path, recipe: Recipe, seed: int, spread: float) -> None:
    """Write a checkpoint of a recipe, as if it had been trained."""
    config = {"classes": ["8", "1"], **recipe.config}
    generator = torch.Generator().manual_seed(seed)
    model = models.spec(recipe.model).build(config, generator)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=spread, generator=generator)
    nn.init.normal_(model.classifier.weight, std=0.05, generator=generator)  # answers that are not all but sure
    untrained.write(folder, recipe, model, config)

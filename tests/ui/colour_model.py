"""A model of colour pictures that attnviz does not know: 32 x 32 x 3, tokens of 4 x 4 pixels, weights drawn."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d

from attnviz import data
from attnviz.grids import Grid
from attnviz.layers.attention import Attention
from attnviz.models import MODELS, Input, ModelSpec
from attnviz.recipes.recipe import Recipe
from tests.ui.mechanisms import untrained

NAME = "colour_blocks.photos"
SIDE, PATCH, FEATURES = 32, 4, 6


class Blocks(nn.Module):
    """Cut a picture into blocks, and make some numbers of each: (batch, token, features)."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(FEATURES, 3, PATCH, PATCH))

    def forward(self, images: Tensor) -> Tensor:
        made = conv2d(images, self.weight, stride=PATCH)  # (batch, features, row, column)
        return made.flatten(2).mT


class ColourBlocks(nn.Module):
    """Attention over blocks of a colour picture."""

    def __init__(self, *, classes: tuple[str, ...], heads: int = 2, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.blocks = Blocks()
        self.attention = Attention(features=FEATURES, heads=heads, head_size=3, grid=grid({}))
        self.classifier = nn.Linear(FEATURES, len(classes))
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.4, generator=generator)

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.attention(self.blocks(images)).mean(1))
        return logits


def grid(config: Mapping[str, Any]) -> Grid:
    return Grid(SIDE // PATCH, SIDE // PATCH, stride=PATCH, field=PATCH)


ROW = ModelSpec("Colour blocks", ColourBlocks, "Nobody, 2026", lambda config: Input(3, SIDE, SIDE, "resized"), grid)
RECIPE = Recipe.model_validate(
    {
        "model": "colour_blocks", "name": "photos", "why": "A test.", "title": "Colour blocks", "config": {"heads": 2},
        "data": "cifar10", "classes": tuple(range(10)), "validation": 0.1, "learning_rate": 1e-3, "batch": 32,
        "epochs": 1, "patience": 1, "tests": (),
    }
)  # fmt: skip


def register() -> None:
    """Add the architecture to the table, as a third party does."""
    MODELS["colour_blocks"] = ROW


def lay(folder: Path) -> Path:
    """Write a checkpoint into a folder of checkpoints, and return that."""
    config = {"classes": [*data.DATASETS["cifar10"].classes], **RECIPE.config}
    model = ROW.build(config, torch.Generator().manual_seed(3))
    untrained.write(folder, RECIPE, model, config)
    return folder

"""Small checkpoints of spatial transformers with drawn weights, that the page can open."""

from pathlib import Path

import torch
from torch import nn

from attnviz import data, models
from attnviz.card import Ablated
from tests.ui.mechanisms import untrained

SMALL = {"widths": [2, 3], "hidden": 8, "localisation_width": 2, "localisation_hidden": 4}
SQUARE = {"rows": 32, "columns": 32, **SMALL}
NETS: dict[str, tuple[str, dict[str, object]]] = {
    "rotated": ("rotated_mnist", {"transform": "affine", **SQUARE}),
    "rotated-only": ("rotated_mnist", {"transform": "rotation", **SQUARE}),
    "rotated-widened": ("rotated_mnist", {"transform": "none", **SQUARE}),
    "wide": ("cifar10", {"transform": "affine", "channels": 3, "rows": 20, "columns": 32, **SMALL}),
}  # name -> data and config
SHOWN = ("rotated", "rotated-only", "wide")  # those with a transformer
REPLACED = ("rotated", "rotated-only")  # those with a test with another theta
RIGHT = {"rotated": 0.9, "rotated-only": 0.8, "rotated-widened": 0.5, "wide": 0.8}


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS, called spatial_transformer.NAME, into a folder, and return it."""
    for seed, (name, (source, config)) in enumerate(NETS.items()):
        recipe = untrained.recipe("spatial_transformer", name, config, source)
        full = {"classes": [*data.DATASETS[source].classes], **config}
        generator = torch.Generator().manual_seed(seed)
        model = models.spec(recipe.model).build(full, generator)
        vary(model, generator)
        ablated = tuple(
            Ablated(
                name=kind, of="transformer.theta", title="replaced",
                figures=(untrained.figure("accuracy", value, source),),
            )
            for kind, value in (("mean", 0.6), ("shuffled", 0.4), ("identity", 0.3))
        )  # fmt: skip
        figures = (untrained.figure("accuracy", RIGHT[name], source),)
        untrained.write(folder, recipe, model, full, figures, ablated if name in REPLACED else ())
    return folder


def vary(model: nn.Module, generator: torch.Generator) -> None:
    """Draw a last layer whose transforms differ from picture to picture, near the identity."""
    for path, weight in model.named_parameters():
        if path.startswith("transformer.last"):
            weight.data += torch.randn(weight.shape, generator=generator) * 0.3
        elif path.endswith("bias"):
            nn.init.normal_(weight, std=0.2, generator=generator)

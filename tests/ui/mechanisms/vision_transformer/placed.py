"""Small vision transformers with drawn weights, that the page can open."""

from pathlib import Path

import torch

from attnviz import data, models
from tests.ui.mechanisms import untrained

SMALL: dict[str, object] = {"features": 8, "heads": 2, "hidden": 12, "layers": 3, "patch": 7}
NETS: dict[str, tuple[str, dict[str, object]]] = {
    "digits": ("mnist", SMALL),
    "registers": ("mnist", {**SMALL, "registers": 2, "reading": "mean"}),
    "cifar": ("cifar10", {**SMALL, "channels": 3, "rows": 32, "columns": 32, "patch": 8}),
    "even": ("mnist", {**SMALL, "mixing": "even"}),
}
SHOWN = ("digits", "registers", "cifar")


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS, called vision_transformer.NAME, into a folder, and return it."""
    for seed, (name, (source, config)) in enumerate(NETS.items()):
        recipe = untrained.recipe("vision_transformer", name, config, source)
        full = {"classes": [*data.DATASETS[source].classes], **config}
        model = models.spec(recipe.model).build(full, torch.Generator().manual_seed(seed))
        for path, weight in model.named_parameters():
            if path.endswith(("query.weight", "key.weight")):  # so that heads choose
                weight.data *= 4
        untrained.write(folder, recipe, model, full, (untrained.figure("accuracy", 0.8, source),))
    return folder

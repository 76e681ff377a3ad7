"""Small element-wise attention models with drawn weights, as checkpoints that the page can open."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnviz import data, models
from attnviz.data import samples
from tests.ui.mechanisms import untrained

COLOUR = {"channels": 3, "rows": 32, "columns": 32}
BLOCKS = {"unshuffle": 4, "relevance_norm": "even", "output_norm": 1.0, "heads": 3, "arrays_std": 0.5}
NETS = {
    "small": ("fashion_mnist", {"heads": 3, "arrays_std": 0.3}),
    "normed": ("fashion_mnist", {"heads": 2, "arrays_std": 0.3, "output_norm": 1.0}),
    "blocks": ("fashion_mnist", BLOCKS),
    "colour": ("cifar10", {"heads": 2, "arrays_std": 0.3, **COLOUR}),
}


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS, called element_wise.NAME, into a folder, and return it."""
    for seed, (name, (source, config)) in enumerate(NETS.items()):
        _lay(folder, name, source, {"layers": 2, **config}, seed)
    return folder


def _lay(folder: Path, name: str, source: str, config: dict[str, object], seed: int) -> None:
    recipe = untrained.recipe("element_wise", name, config, source)
    full = {"classes": [*data.DATASETS[source].classes], **config}
    generator = torch.Generator().manual_seed(seed)
    model = models.spec(recipe.model).build(full, generator)
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):  # so large that the layers differ from their input
            nn.init.normal_(module.weight, std=0.1, generator=generator)
        elif isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0  # one pass, and the norms know the pictures
    images = samples.read(source).images[:20].transpose(0, 3, 1, 2) / np.float32(255)
    with torch.no_grad():
        model.train()(torch.from_numpy(images.copy()))
    untrained.write(folder, recipe, model, full, (untrained.figure("accuracy", (5 + seed) / 10, source),))

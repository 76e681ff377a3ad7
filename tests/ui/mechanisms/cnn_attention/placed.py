"""Small checkpoints of attention over blocks with drawn weights, that the page can open."""

from pathlib import Path

import torch

from attnviz import data, models
from tests.ui.mechanisms import untrained

NETS: dict[str, dict[str, object]] = {
    "digits": {"attention": "blocks", "heads": 8, "hidden": 16},
    "wide": {"attention": "blocks", "heads": 3, "hidden": 16, "rows": 20, "columns": 28},
    "within": {"attention": "within", "heads": 8, "hidden": 16},
    "plain": {"attention": "none", "output": None, "hidden": 16},
}
SHOWN = ("digits", "wide")  # those in which blocks see one another
SOURCE = "mnist"


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS, called cnn_attention.NAME, into a folder, and return it."""
    for seed, (name, config) in enumerate(NETS.items()):
        lay(folder, name, config, seed)
    return folder


def lay(folder: Path, name: str, config: dict[str, object], seed: int, source: str = SOURCE) -> None:
    """Write one checkpoint."""
    recipe = untrained.recipe("cnn_attention", name, config, source)
    full = {"classes": [*data.DATASETS[source].classes], **config}
    generator = torch.Generator().manual_seed(seed)
    model = models.spec(recipe.model).build(full, generator)
    for path, weight in model.named_parameters():
        if path.endswith("bias"):  # so that no block is without features, and each feature counts
            torch.nn.init.normal_(weight, std=0.1, generator=generator)
        elif path in ("attention.query.weight", "attention.key.weight"):  # so that heads choose
            weight.data *= 4
    untrained.write(folder, recipe, model, full, (untrained.figure("accuracy", 0.8, source),))

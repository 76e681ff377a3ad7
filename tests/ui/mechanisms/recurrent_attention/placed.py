"""Small recurrent attention models with drawn weights, as checkpoints that the page can open."""

from pathlib import Path

import torch
from torch import nn

from attnviz import data, models
from attnviz.card import Ablated
from attnviz.recipes.recipe import Ablation, Test
from tests.ui.mechanisms import untrained
from tests.ui.mechanisms.untrained import figure

NETS: dict[str, dict[str, object]] = {
    "small": {"glimpses": 4, "size": 7, "scales": 3, "location_hidden": 16},
    "wide": {"glimpses": 3, "size": 5, "scales": 2, "rows": 20, "columns": 28, "first": "centre", "location_std": 0.3},
    "ring": {"glimpses": 3, "size": 8, "scales": 1, "policy": "fixed", "path": [[0, 0], [-14, 14], [13, -2]]},
    "random": {"glimpses": 3, "size": 8, "scales": 1, "policy": "random"},
}  # fmt: skip
SOURCE = "fashion_mnist"
FIGURES = {"accuracy": 0.8, "accuracy_one_draw": 0.7, "accuracy_mean_path": 0.6, "spread": 0.1}


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS, called recurrent_attention.NAME, into a folder, and return it."""
    for seed, (name, config) in enumerate(NETS.items()):
        lay(folder, name, {"features": 16, "width": 24, **config}, seed)
    return folder


def lay(folder: Path, name: str, config: dict[str, object], seed: int, source: str = SOURCE) -> None:
    """Write one checkpoint."""
    ablations = () if config.get("policy") else tuple(
        Ablation(name=one, of="glimpses.location") for one in ("mean", "shuffled")
    )  # fmt: skip
    recipe = untrained.recipe(
        "recurrent_attention", name, config, source,
        objective="reinforcement", tests=(Test(data=source, figures=tuple(FIGURES)),), ablations=ablations,
    )  # fmt: skip
    full = {"classes": [*data.DATASETS[source].classes], **config}
    generator = torch.Generator().manual_seed(seed)
    model = models.spec(recipe.model).build(full, generator)
    for module in model.modules():
        if isinstance(module, nn.Linear):  # so large that belief and path depend on what is seen
            nn.init.normal_(module.weight, std=2 / module.in_features**0.5, generator=generator)
            nn.init.normal_(module.bias, std=0.1, generator=generator)
    figures = tuple(figure(one, value, source) for one, value in FIGURES.items())
    ablated = tuple(
        Ablated(name=one.name, of=one.of, title="Other locations", figures=(figure("accuracy", 0.5, source),))
        for one in ablations
    )
    untrained.write(folder, recipe, model, full, figures, ablated)

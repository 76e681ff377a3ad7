"""Small recurrent attention models with drawn weights, as checkpoints that the page can open."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnviz import cards, checkpoints, data, models
from attnviz.cards import Ablated, Card, Figure, SeedRun, packed
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import Ablation, Test

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
    classes = data.DATASETS[source].classes
    ablations = () if config.get("policy") else tuple(
        Ablation(name=one, of="glimpses.location") for one in ("mean", "shuffled")
    )  # fmt: skip
    recipe = Recipe(
        model="recurrent_attention", name=name, why="A test.", title=f"Small, {name}", config=config, data=source,
        classes=tuple(range(len(classes))), validation=0.1, learning_rate=0.1, batch=1, epochs=1, patience=1,
        objective="reinforcement", tests=(Test(data=source, figures=tuple(FIGURES)),), ablations=ablations,
    )  # fmt: skip
    full = {"classes": [*classes], **config}
    generator = torch.Generator().manual_seed(seed)
    model = models.spec(recipe.model).build(full, generator)
    for module in model.modules():
        if isinstance(module, nn.Linear):  # so large that belief and path depend on what is seen
            nn.init.normal_(module.weight, std=2 / module.in_features**0.5, generator=generator)
            nn.init.normal_(module.bias, std=0.1, generator=generator)
    content = checkpoints.encode(model.state_dict())
    figures = tuple(figure(one, value, source) for one, value in FIGURES.items())
    card = Card(
        name=recipe.key, recipe=recipe, config=full, classes=classes,
        parameters=sum(parameter.numel() for parameter in model.parameters()), data_digest="0",
        weights_digest=checkpoints.digest(content), seed=0,
        runs=(SeedRun(seed=0, epoch=1, curve={"validation_accuracy": (0.5,)}),), figures=figures,
        ablations=tuple(
            Ablated(name=one.name, of=one.of, title="Other locations", figures=(figure("accuracy", 0.5, source),))
            for one in ablations
        ),
        example=None, seconds=0.0, device="cpu", threads=1, versions={}, command="none",
    )  # fmt: skip
    home = folder / recipe.key
    home.mkdir(parents=True, exist_ok=True)
    (home / "weights.safetensors").write_bytes(content)
    (home / "card.json").write_text(cards.text(card))


def figure(name: str, value: float, source: str) -> Figure:
    """Return a figure on ten test pictures."""
    right = packed(np.arange(10) < 10 * value) if name != "spread" else None
    unit, share = ("half pictures", value) if name == "spread" else ("share", value)
    return Figure(
        name=name, unit=unit, data=source, split="test", count=10, value=share, mean=share, lowest=share,
        highest=share, seeds=1, per_seed=(share,), right=right,
    )  # fmt: skip

"""Small element-wise attention models with drawn weights, as checkpoints that the page can open."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnviz import cards, checkpoints, data, models
from attnviz.cards import Card, Figure, SeedRun, packed
from attnviz.data import samples
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import Test

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
    classes = data.DATASETS[source].classes
    recipe = Recipe(
        model="element_wise", name=name, why="A test.", title=f"Small, {name}", config=config, data=source,
        classes=tuple(range(len(classes))), validation=0.1, learning_rate=0.1, batch=1, epochs=1, patience=1,
        tests=(Test(data=source),),
    )  # fmt: skip
    full = {"classes": [*classes], **config}
    generator = torch.Generator().manual_seed(seed)
    model = models.spec(recipe.model).build(full, generator)
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):  # so large that the layers differ from their input
            nn.init.normal_(module.weight, std=0.1, generator=generator)
    images = samples.read(source).images[:20].transpose(0, 3, 1, 2) / np.float32(255)
    with torch.no_grad():
        for _ in range(200):  # until the norms know the pictures
            model.train()(torch.from_numpy(images.copy()))
    content = checkpoints.encode(model.state_dict())
    right = np.arange(10) < 5 + seed
    figure = Figure(
        name="accuracy", data=source, split="test", count=10, value=right.mean(), mean=right.mean(),
        lowest=right.mean(), highest=right.mean(), seeds=1, per_seed=(float(right.mean()),), right=packed(right),
    )  # fmt: skip
    card = Card(
        name=recipe.key, recipe=recipe, config=full, classes=classes,
        parameters=sum(parameter.numel() for parameter in model.parameters()), data_digest="0",
        weights_digest=checkpoints.digest(content), seed=0,
        runs=(SeedRun(seed=0, epoch=1, curve={"validation_accuracy": (0.5,)}),), figures=(figure,), example=None,
        seconds=0.0, device="cpu", threads=1, versions={}, command="none",
    )  # fmt: skip
    home = folder / recipe.key
    home.mkdir(parents=True, exist_ok=True)
    (home / "weights.safetensors").write_bytes(content)
    (home / "card.json").write_text(cards.text(card))

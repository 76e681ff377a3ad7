"""Checkpoints of small models with drawn weights, written as if the models had been trained."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from attnviz import cards, checkpoints, data, models
from attnviz.card import Ablated, Card, Figure, SeedRun, packed
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import Test
from attnviz.training.histories import HistoryFile, Kept


def recipe(model: str, name: str, config: Mapping[str, object], source: str, **more: Any) -> Recipe:
    """Return a recipe for all classes of a data set."""
    values = {
        "model": model, "name": name, "why": "A test.", "title": f"Small, {name}", "config": config, "data": source,
        "classes": tuple(range(len(data.DATASETS[source].classes))), "validation": 0.1, "learning_rate": 0.1,
        "batch": 1, "epochs": 1, "patience": 1, "tests": (Test(data=source),),
    }  # fmt: skip
    return Recipe.model_validate({**values, **more})


def figure(name: str, value: float, source: str) -> Figure:
    """Return a figure on ten test pictures."""
    right = packed(np.arange(10) < 10 * value) if name != "spread" else None
    return Figure(
        name=name, unit="half pictures" if name == "spread" else "share", data=source, split="test", count=10,
        value=value, mean=value, lowest=value, highest=value, seeds=1, per_seed=(value,), right=right,
    )  # fmt: skip


def write(
    folder: Path,
    chosen: Recipe,
    model: nn.Module,
    config: dict[str, Any],
    figures: tuple[Figure, ...] = (),
    ablations: tuple[Ablated, ...] = (),
) -> None:
    """Write a model's weights and card into a folder of checkpoints; `config` is what the model was built from."""
    content = checkpoints.encode(model.state_dict())
    card = Card(
        name=chosen.key, recipe=chosen, config=config, classes=tuple(config["classes"]),
        parameters=sum(parameter.numel() for parameter in model.parameters()), data_digest="0",
        weights_digest=checkpoints.digest(content), seed=0,
        runs=(SeedRun(seed=0, epoch=1, curve={"validation_accuracy": (0.5,)}),), figures=figures, ablations=ablations,
        example=None, seconds=0.0, device="cpu", threads=1, versions={}, command="none",
    )  # fmt: skip
    home = folder / chosen.key
    home.mkdir(parents=True, exist_ok=True)
    (home / "weights.safetensors").write_bytes(content)
    (home / "card.json").write_text(cards.text(card))


def give_history(folder: Path, name: str, epochs: Sequence[int], last: int) -> None:
    """Give a checkpoint a history with drawn weights, as if it had been trained for some epochs more.

    Args:
        folder: of checkpoints.
        name: of the checkpoint.
        epochs: whose weights are kept; 0 is before the training.
        last: that of the checkpoint itself.
    """
    home = folder / name
    card = cards.parsed((home / "card.json").read_bytes(), home)
    curve = {"validation_accuracy": tuple(0.5 + 0.4 * epoch / last for epoch in range(1, last + 1))}
    card = card.model_copy(update={"runs": (SeedRun(seed=card.seed, epoch=last, curve=curve),)})
    (home / "card.json").write_text(cards.text(card))
    (home / "history").mkdir(exist_ok=True)
    kept = []
    for epoch in epochs:
        model = models.spec(card.recipe.model).build(card.config, torch.Generator().manual_seed(1000 + epoch))
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(epoch + parameter.numel()))
        content = checkpoints.encode(checkpoints.stored(model, model.state_dict(), "float16"))
        (home / "history" / f"epoch-{epoch}.safetensors").write_bytes(content)
        kept.append(Kept(epoch=epoch, digest=checkpoints.digest(content)))
    trained = max(epochs)
    file = HistoryFile(
        recipe=card.recipe, seed=card.seed, device="cpu", threads=1, data_digest="0", command="none", trained=trained,
        finished=False, curve={column: values[:trained] for column, values in curve.items()}, epochs=tuple(kept),
    )  # fmt: skip
    (home / "history" / "history.json").write_text(file.model_dump_json())

"""Small checkpoints of nets that read strips, with drawn weights, that the page can open."""

from pathlib import Path

import torch

from attnviz import models
from attnviz.cards import Figure
from attnviz.data.digit_strips import SYMBOLS, TESTED
from tests.ui.mechanisms import untrained

RECURRENT = {"features": 8, "width": 6, "hidden": 6, "units": 5, "embedding": 4}
ATTENDING = {"features": 8, "heads": 2, "hidden": 12}
NETS: dict[str, dict[str, object]] = {
    "encoder_decoder.strips-15": {"attention": "additive", **RECURRENT},
    "encoder_decoder.strips-15-one-vector": {"attention": "none", **RECURRENT},
    "encoder_decoder.strips-15-uniform": {"attention": "uniform", **RECURRENT},
    "transformer.strips-15": dict(ATTENDING),
    "transformer.strips-15-no-positions": {"positions": False, **ATTENDING},
}  # name -> config
DATA = "strips_mnist_15"


def share(name: str, length: int) -> float:
    """Return the share of digits that a placed card claims at a length."""
    return max(0.1, 1 - 0.04 * length) if "vector" in name else 0.99 if length <= 15 else 0.6


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS into a folder, and return it."""
    for seed, (key, config) in enumerate(NETS.items()):
        architecture, name = key.split(".")
        recipe = untrained.recipe(architecture, name, config, DATA, title=f"Small {architecture}, {name}")
        full = {"classes": [*SYMBOLS], **config}
        generator = torch.Generator().manual_seed(seed)
        model = models.spec(architecture).build(full, generator)
        for path, weight in model.named_parameters():
            # Weights that differ from column to column, and answers that differ from step to step
            if path.endswith("score.weight"):
                weight.data = torch.randn(weight.shape, generator=generator) * 4
            elif weight.ndim > 1:
                weight.data *= 2.5
        untrained.write(folder, recipe, model, full, tuple(_figures(name)))
    return folder


def _figures(name: str) -> list[Figure]:
    found = []
    for length in TESTED:
        digits = share(name, length)
        for what, value in (("digits", digits), ("accuracy", digits**length), ("stopped", digits)):
            found.append(
                Figure(
                    name=f"{what}_{length}", unit="share", data="strips_mnist_30", split="test", count=100,
                    value=value, mean=value,
                    lowest=max(0.0, value - 0.01), highest=min(1.0, value + 0.01), seeds=2, per_seed=None,
                )
            )  # fmt: skip
    found.append(untrained.figure("accuracy", 0.5, DATA))
    return found

"""Small checkpoints of nets that read strips, with drawn weights, that the page can open."""

from pathlib import Path

import torch

from attnviz import models
from attnviz.card import Figure
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
ORDERED: dict[str, dict[str, object]] = {
    "encoder_decoder.strips-15-reversed": {"attention": "additive", **RECURRENT},
    "transformer.strips-15-sorted": dict(ATTENDING),
    "transformer.strips-15-sorted-no-positions": {"positions": False, **ATTENDING},
}  # likewise, of nets that read backwards, or sort


def share(name: str, length: int) -> float:
    """Return the share of digits that a placed card claims at a length."""
    if name.endswith("sorted-no-positions"):
        return 0.2
    return max(0.1, 1 - 0.04 * length) if "vector" in name else 0.99 if length <= 15 else 0.6


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS and ORDERED into a folder, and return it."""
    for seed, (key, config) in enumerate({**NETS, **ORDERED}.items()):
        architecture, name = key.split(".")
        order = next((f"_{order}" for order in ("reversed", "sorted") if order in name), "")
        recipe = untrained.recipe(architecture, name, config, DATA + order, title=f"Small {architecture}, {name}")
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
        measured = {"digits": digits, "accuracy": digits**length, "stopped": digits}
        if "sorted" in name:
            measured["distance"] = 0.03 * length
        for what, value in measured.items():
            unit = "changes per digit" if what == "distance" else "share"
            found.append(
                Figure(
                    name=f"{what}_{length}", unit=unit, data="strips_mnist_30", split="test", count=100,
                    value=value, mean=value,
                    lowest=max(0.0, value - 0.01), highest=min(1.0, value + 0.01), seeds=2, per_seed=None,
                )
            )  # fmt: skip
    found.append(untrained.figure("accuracy", 0.5, DATA))
    return found

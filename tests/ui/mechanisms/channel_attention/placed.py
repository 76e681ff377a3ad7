"""Small checkpoints of attention over channels with drawn weights, that the page can open."""

from pathlib import Path

import torch
from torch import nn

from attnviz import data, models
from attnviz.card import Ablated
from tests.ui.mechanisms import untrained

SMALL = {"widths": [4, 6, 8], "strides": [2, 2, 2], "blocks": 1, "reduction": 2}
COLOUR = {"channels": 3, "rows": 20, "columns": 32, "widths": [4, 6], "strides": [1, 2], "blocks": 1, "reduction": 2}
NETS: dict[str, tuple[str, dict[str, object]]] = {
    "digits": ("mnist", {"gate": "se", **SMALL}),
    "digits-cbam": ("mnist", {"gate": "cbam", **SMALL}),
    "digits-bam": ("mnist", {"gate": "bam", **SMALL}),
    "digits-plain": ("mnist", {"gate": "none", **SMALL}),
    "wide": ("cifar10", {"gate": "cbam", **COLOUR}),
}  # name -> data and config
SHOWN = ("digits", "digits-cbam", "digits-bam", "wide")  # those with gates
EVERY, FIRST = "blocks.*.attention.*gate", "blocks.0.attention.*gate"


def place(folder: Path) -> Path:
    """Write a checkpoint for each of NETS, called channel_attention.NAME, into a folder, and return it."""
    for seed, (name, (source, config)) in enumerate(NETS.items()):
        recipe = untrained.recipe("channel_attention", name, config, source)
        full = {"classes": [*data.DATASETS[source].classes], **config}
        generator = torch.Generator().manual_seed(seed)
        model = models.spec(recipe.model).build(full, generator)
        vary(model, generator)
        ablated = tuple(
            Ablated(name=kind, of=of, title="replaced", figures=(untrained.figure("accuracy", value, source),))
            for kind, of, value in (("mean", EVERY, 0.7), ("one", EVERY, 0.2), ("mean", FIRST, 0.8))
        )
        figures = (untrained.figure("accuracy", 0.8, source),)
        untrained.write(folder, recipe, model, full, figures, ablated if config["gate"] == "se" else ())
    return folder


def vary(model: nn.Module, generator: torch.Generator) -> None:
    """Draw what training would change: biases, gates that differ, and what normalisation has counted."""
    for path, weight in model.named_parameters():
        if path.endswith("bias"):
            nn.init.normal_(weight, std=0.2, generator=generator)
        elif ".excite." in path or ".reduce." in path:
            weight.data *= 3
    for path, counted in model.named_buffers():
        if path.endswith("running_mean"):
            nn.init.normal_(counted, std=0.2, generator=generator)
        elif path.endswith("running_var"):
            nn.init.uniform_(counted, 0.5, 1.5, generator=generator)

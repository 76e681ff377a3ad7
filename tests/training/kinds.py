"""Three trainings as the papers have them, on pictures made here: large batches, a plateau, colour with SGD."""

import torch
from torch import nn

from attnviz.recipes import Recipe
from attnviz.recipes.recipe import changed
from attnviz.training.examples import Examples
from attnviz.training.loop import Training
from tests.training import small

CLASSES = 4

LARGE_BATCHES = small.recipe(
    "large_batches", validation=None, keep="last", patience=None, epochs=2, batch=4096, accumulate=16, eps=1e-12,
    groups=[{"parameters": ["1.*"], "learning_rate": 0.1}, {"parameters": ["3.*"], "weight_decay": 0.01}],
    probes=[
        {"name": "loss_sum"}, {"name": "gradient_mean", "of": "1.weight"}, {"name": "parameter_std", "of": "1.weight"},
    ],
)  # fmt: skip
PLATEAU = small.recipe(  # the rate is lowered from epoch 3 on
    "plateau", epochs=6, patience=5, batch=32, watch="accuracy", keep="last", learning_rate=3e-2,
    schedule="plateau", plateau={"lowest": 1e-4},
)  # fmt: skip
COLOUR = small.recipe(
    "colour", epochs=3, patience=None, batch=50, optimiser="sgd", momentum=0.9, nesterov=True, weight_decay=5e-4,
    learning_rate=0.1, schedule="one_cycle", rise=0.25, augmentation={"mirror": True, "crop": 2}, augment="instead",
)  # fmt: skip
RECIPES: dict[str, Recipe] = {chosen.model: chosen for chosen in (LARGE_BATCHES, PLATEAU, COLOUR)}

_SHAPES = {"large_batches": (1, 8, 8), "plateau": (1, 12, 12), "colour": (3, 10, 8)}
_COUNTS = {"large_batches": 8200, "plateau": 200, "colour": 200}


def model(kind: str) -> nn.Module:
    """Build a small net of the kind, with fresh weights by torch's own generator."""
    channels, rows, columns = _SHAPES[kind]
    if kind == "large_batches":
        return nn.Sequential(nn.Flatten(), nn.Linear(rows * columns, 16), nn.ReLU(), nn.Linear(16, CLASSES))
    normalised = [nn.BatchNorm2d(8)] if kind == "colour" else []
    convolutions = [nn.Conv2d(channels, 8, 3), *normalised, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    return nn.Sequential(*convolutions, nn.Linear(8 * (rows // 2 - 1) * (columns // 2 - 1), CLASSES))


def examples(kind: str, seed: int) -> Examples:
    """Make pictures whose class shows in the brightness of one row, under noise."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (_COUNTS[kind],), generator=generator)
    images = torch.randint(160, (len(labels), *_SHAPES[kind]), generator=generator, dtype=torch.uint8)
    images[torch.arange(len(labels)), :, 2 * labels] += 90
    return Examples(images, labels)


def training(kind: str, **changes: object) -> Training:
    """Return a fresh training of the kind, the same each time."""
    chosen = changed(RECIPES[kind], **changes)
    torch.manual_seed(0)
    net = model(kind)
    validation = None if chosen.validation is None else examples(kind, 1)[:100]
    return Training(net, chosen, examples(kind, 0), validation, torch.Generator().manual_seed(0))

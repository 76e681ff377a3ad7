"""How often a step of training makes the CPU wait for the device, counted on one that only pretends to be one."""

from collections import Counter

import pytest
import torch

from attnviz.training import seeds
from attnviz.training.examples import Examples, as_float
from attnviz.training.objectives import objective
from tests.pretend_device import pretend_device
from tests.training import small

MOVED = {"augmentation": {"rotation": 10, "shift": 0.1, "stretch": (0.9, 1.1)}}
VARIANTS = {"aten::_to_copy": 2}  # the random numbers of the variants, which are drawn on the CPU
LEVELS = {"aten::equal": 1, "aten::_local_scalar_dense": 1}  # whether intensities are levels, and scores of one range


@pytest.mark.parametrize(
    ("model", "changes", "expected"),
    [
        ("pixel_line", {}, {}),
        ("pixel_line", {**MOVED, "augment": "instead"}, VARIANTS),
        ("pixel_line", {**MOVED, "augment": "beside"}, VARIANTS),
        ("pixel_attention", {}, LEVELS),
    ],
)
def test_a_step_waits_for_the_device_only_where_it_must(model, changes, expected):
    recipe = small.recipe(model, **changes)
    generator = torch.Generator().manual_seed(0)
    net, pictures = seeds.build(recipe, generator), small.examples(48)
    with pretend_device() as device:
        net.to(device.name)
        away = Examples(pictures.images.to(device.name), pictures.labels.to(device.name))
        batches, goal = away.epoch(recipe, generator), objective(recipe)
        next(batches)  # with it the order of the whole epoch is sent
        device.waits.clear()
        batch = next(batches)
        goal.loss(net, as_float(batch.images), batch.labels, generator)["loss"].backward()
        assert Counter(device.waits) == expected

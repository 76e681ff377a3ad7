"""The outputs of the convolutions before and after pooling, and the weights inside blocks. Loads torch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from attnviz import edits
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.stage_maps import LayerMaps, StageMaps, StageMapsView
from attnviz.ui.shared import cache, home_picture, inference
from attnviz.views import attending


def view(loaded: Loaded, example: Example) -> StageMapsView:
    """Return the maps of every convolution of a net on an example."""
    model, net = loaded
    image = example.taken_by(net)
    found = attending.convolutions(model)
    if not found:
        raise BadInput(f"{net.key} has no blocks of convolution. Look at it in the explorer.")
    seen, _ = cache.of_subject(attending.passed, Subject(net, example))
    layers = []
    grid = Grid(*image.shape[:2])
    for number, (path, layer) in enumerate(found.items()):
        conv, pool = (seen[f"{path}.{tap}"].tensor[0] for tap in ("after_conv", "after_pool"))
        grid = grid.after(layer.conv.kernel_size[0], 1, layer.padding[0], *conv.shape[1:])
        stages = {"conv": StageMaps(conv.numpy(), grid, f"{path}.after_conv")}
        if layer.pool > 1:
            grid = grid.after(layer.pool, layer.pool, 0, *pool.shape[1:])
            stages["pool"] = StageMaps(pool.numpy(), grid, f"{path}.after_pool")
        layers.append(LayerMaps(f"Convolution {number + 1}", path, stages))
    return StageMapsView(
        picture=image,
        layers=tuple(layers),
        ink=example.ink,
        origin=Subject(net, example).origin(next(iter(found))),
    )


def evenly(loaded: Loaded, example: Example) -> str:
    """Return the answer that a net gives when it attends to all blocks equally, with its probability, in words."""
    with torch.no_grad(), trace(loaded.model, (), edits.uniform("attention.mixed")):
        return inference.answer(loaded, example)


def within(loaded: Loaded, example: Example) -> tuple[np.ndarray, np.ndarray, dict[str, str | int | float]]:
    """Return the weights between the features of each block, for a model whose blocks attend to themselves alone.

    Returns weights (row, column, feature that takes, feature that gives), which add up to 1 along the last axis, the
    mean intensity of the pixels of each block (row, column), and the origin of both.
    """
    model, net = loaded
    tap = "attention.feature_weights"
    batch = inference.batch_of(loaded, example)
    with torch.no_grad(), trace(model, [tap]) as seen:
        inference.ask(loaded, batch)
    reading = seen[tap]
    assert reading.axes == ("batch", "token", "target_feature", "source_feature")
    grid = model.get_submodule("attention").grid
    assert isinstance(grid, Grid)
    weights = reading.tensor[0].unflatten(0, (grid.rows, grid.columns))
    ink = attending.pooled(batch, grid)
    return weights.numpy(), ink.numpy(), Subject(net, example).origin(tap)


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with the receptive field of a block on the strokes outlined, and the weights of that block."""
    query, head = (2, 3), 6
    view = attending.attention(loaded, picture, unit="block")
    weights = home_picture.weights(view, query, head)
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    assert view.boxes is not None
    top, across, down, right_by, size, _ = view.boxes
    corner = round(top + query[0] * down), round(across + query[1] * right_by)
    home_picture.outline(left, image.shape[:2], corner, round(size))
    home_picture.outline(right, weights.shape, query, 1)
    return left, right

"""What each convolution makes of an example, before and after ReLU and pooling. Loads torch."""

from __future__ import annotations

import torch

from attnviz.grids import Grid
from attnviz.layers.convolution import ConvBlock
from attnviz.subjects import Example, Loaded, Subject
from attnviz.tracing import trace
from attnviz.ui.components.stage_maps import ConvolutionMaps, StageMapsView
from attnviz.ui.shared import inference


def view(loaded: Loaded, example: Example) -> StageMapsView:
    """Return the maps of every convolution of a net on an example."""
    model, net = loaded
    image = example.taken_by(net)
    found = {path: layer for path, layer in model.named_modules() if isinstance(layer, ConvBlock)}
    taps = [f"{path}.{tap}" for path in found for tap in ("after_conv", "after_pool")]
    with torch.no_grad(), trace(model, taps) as seen:
        inference.ask(loaded, inference.batch_of(loaded, example))
    layers = []
    grid = Grid(*image.shape[:2])
    for path, layer in found.items():
        conv, pool = (seen[f"{path}.{tap}"].tensor[0] for tap in ("after_conv", "after_pool"))
        grid = after_window(grid, layer.conv.kernel_size[0], 1, layer.padding[0], conv.shape[1:])
        pooled = after_window(grid, layer.pool, layer.pool, 0, pool.shape[1:])
        layers.append(
            ConvolutionMaps(
                path=path,
                after_conv=conv.numpy(),
                after_pool=pool.numpy() if layer.pool > 1 else None,
                grid=grid,
                pooled=pooled if layer.pool > 1 else None,
            )
        )
        grid = pooled
    return StageMapsView(
        picture=image,
        layers=tuple(layers),
        ink=example.ink,
        origin=Subject(net, example).origin(next(iter(found))),
    )


def after_window(grid: Grid, window: int, step: int, padding: int, shape: torch.Size) -> Grid:
    """Return where cells lie that are each computed from a window of other cells.

    Args:
        grid: where the other cells lie.
        window: rows and columns of the window.
        step: from one window to the next, in cells.
        padding: cells of zeros above and at the left.
        shape: rows and columns of the result.
    """
    rows, columns = shape
    top, left = (start - padding * grid.stride for start in grid.offset)
    return Grid(
        rows,
        columns,
        offset=(top, left),
        stride=step * grid.stride,
        field=grid.field + (window - 1) * grid.stride,
    )

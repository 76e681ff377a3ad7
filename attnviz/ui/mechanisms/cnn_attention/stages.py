"""What each convolution makes of an example, before and after ReLU and pooling. Loads torch."""

from __future__ import annotations

from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.subjects import Example, Loaded, Subject
from attnviz.ui.components.stage_maps import LayerMaps, StageMaps, StageMapsView
from attnviz.ui.shared import cache
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

"""The maps of every block with gates, before and after its convolutions, normalisation, ReLU and gate. Loads torch."""

from __future__ import annotations

import numpy as np
import torch

from attnviz.grids import Grid
from attnviz.layers.bam import Bam
from attnviz.layers.residual import ResidualBlock
from attnviz.subjects import Example, Loaded, Subject
from attnviz.tracing import trace
from attnviz.ui.components.stage_maps import LayerMaps, StageMaps, StageMapsView
from attnviz.ui.mechanisms.channel_attention import gates
from attnviz.ui.mechanisms.channel_attention.block import BEHIND_BLOCK, IN_BLOCK, TITLES
from attnviz.ui.mechanisms.channel_attention.layers import GateLayer
from attnviz.ui.shared import cache, inference


def view(loaded: Loaded, example: Example) -> StageMapsView:
    """Return the maps of every block with gates, in single precision."""
    model, net = loaded
    subject = Subject(net, example)
    image = example.taken_by(net)
    blocks = {path: part for path, part in model.named_modules() if isinstance(part, ResidualBlock)}
    behind = {path: part for path, part in model.named_modules() if isinstance(part, Bam)}
    with torch.no_grad(), trace(model) as seen:
        inference.ask(loaded, inference.batch_of(loaded, example))
    shown = {layer.path: gates.farthest(layer) for layer in cache.of_subject(gates.view, subject).layers}
    grid = Grid(*image.shape[:2]).after(3, 1, 1, *image.shape[:2])  # the network's first convolution
    layers: list[LayerMaps] = []
    for number, (path, block) in enumerate(blocks.items()):
        where = {"input": grid}
        rows, columns = seen[f"{path}.first.after_conv"].tensor.shape[2:]
        where["conv"] = where["norm"] = where["relu"] = grid.after(3, block.stride, 1, rows, columns)
        grid = where["relu"].after(3, 1, 1, rows, columns)
        where["branch"] = where["gate"] = where["output"] = grid
        taps = {
            "input": f"{path}.first.before_conv",
            "conv": f"{path}.first.after_conv",
            "norm": f"{path}.first.after_norm",
            "relu": f"{path}.first.after_relu",
            "branch": f"{path}.second.after_norm",
            "output": f"{path}.output",
        }
        gate = f"{path}.attention" if isinstance(block.attention, GateLayer) else f"bam.{number}"
        if gate not in shown:
            continue
        taps["gate"] = f"{gate}.scaled_twice" if f"{gate}.scaled_twice" in seen else f"{gate}.scaled"
        order = BEHIND_BLOCK if behind else IN_BLOCK
        stages = {
            name: StageMaps(seen[taps[name]].tensor[0].numpy().astype(np.float32), where[name], taps[name])
            for name in order
        }
        layers.append(LayerMaps(gates.title_of(gate, len(layers)), path, stages, shown[gate]))
    return StageMapsView(
        picture=image,
        layers=tuple(layers),
        stages={name: TITLES[name] for name in (BEHIND_BLOCK if behind else IN_BLOCK)},
        ink=example.ink,
        origin=subject.origin(layers[0].path),
    )

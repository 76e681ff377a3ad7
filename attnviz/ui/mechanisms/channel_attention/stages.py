"""The maps of every block with gates, before and after its convolutions, normalisation, ReLU and gate. Loads torch.

The gates may be those that the network computes, or others: all replaced at once, or single ones set by hand.
"""

import numpy as np
import torch

from attnviz.edits import Change, set_value
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.layers.bam import Bam
from attnviz.layers.residual import ResidualBlock
from attnviz.subjects import Example, Loaded, Subject
from attnviz.tracing import trace
from attnviz.ui.components.gates import GatesView, read_turns
from attnviz.ui.components.stage_maps import LayerMaps, StageMaps, StageMapsView
from attnviz.ui.mechanisms.channel_attention import gates
from attnviz.ui.mechanisms.channel_attention.layers import GateLayer
from attnviz.ui.mechanisms.channel_attention.words import BEHIND_BLOCK, IN_BLOCK, TITLES
from attnviz.ui.shared import cache, inference


def view(loaded: Loaded, example: Example, replaced: str = "own", turned: str = "") -> StageMapsView:
    """Return the maps of every block with gates, in single precision.

    All gates are `replaced` by one of `attnviz.ui.components.gates.SETS`; those that are also `turned` by hand are
    written as in the URL: "1.5-25,2.3-100".
    """
    model, net = loaded
    subject = Subject(net, example)
    image = example.taken_by(net)
    blocks = {path: part for path, part in model.named_modules() if isinstance(part, ResidualBlock)}
    behind = {path: part for path, part in model.named_modules() if isinstance(part, Bam)}
    own = cache.of_subject(gates.view, subject)
    with torch.no_grad(), trace(model, edits=_edits(own, replaced, turned)) as seen:
        inference.ask(loaded, inference.batch_of(loaded, example))
    shown = {layer.path: gates.farthest(layer) for layer in own.layers}
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
        origin={
            **subject.origin(layers[0].path),
            **({} if replaced == "own" else {"gates": f"{replaced}: {own.other}" if replaced == "other" else replaced}),
            **({"turned": turned} if turned else {}),
        },
    )


def _edits(own: GatesView, replaced: str, turned: str) -> dict[str, list[Change]]:
    """Return the edits that replace or turn gates, by tap path."""
    made: dict[str, list[Change]] = {}
    for layer in own.layers:
        for tap in filter(None, (layer.tap, layer.space_tap)):
            values = {"own": None, "one": np.ones(()), "mean": tap.mean, "other": tap.other}[replaced]
            if values is not None:
                made[tap.address] = [set_value(values.copy())]  # cached arrays are read-only
            elif replaced != "own":
                raise BadInput("There is no other picture here whose gates could be used.")
    for number, channel, percent in (read_turns(turned) or []) if turned else []:
        if not (0 <= number < len(own.layers) and 0 <= channel < len(own.layers[number].gate) and percent <= 100):
            raise BadInput(f"There is no gate {number + 1}.{channel + 1} that can be turned to {percent} %.")
        made.setdefault(own.layers[number].tap.address, []).append(set_value(percent / 100, channel=channel))
    return made

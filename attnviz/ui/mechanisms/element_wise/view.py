"""What the stage grid and the maps of heads show, as views of every net with element-wise attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.components import map_grid
from attnviz.ui.components.stage_grid import packed
from attnviz.ui.live.derived import Index, NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Net, Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the stages of all layers, as the stage grid takes them."""
    from attnviz.ui.mechanisms.element_wise import stages

    return packed(cache.of_subject(stages.view, subject))


def two_passes(parameters: NoParameters, net: Net) -> float:
    """Return the work: a pass on the picture, and one on the picture of another class."""
    return 2.0


STAGES_VIEW = View("stages_view", NoParameters, payload, two_passes, lasts=True)


class OfLayer(Strict):
    """Which layer."""

    layer: Index = 0


def heads_payload(subject: Subject, parameters: OfLayer) -> bytes:
    """Return what each head of a layer passes to the convolution, as maps."""
    from attnviz.ui.mechanisms.element_wise import stages

    layers, layer = cache.of_subject(stages.attended, subject), parameters.layer
    if layer >= len(layers):
        raise BadInput(f"{subject.net.key} has {len(layers)} layers of element-wise attention, counted from 0.")
    maps = layers[layer]
    count, channels = maps.shape[:2]
    maps = maps.mean(1) if channels > 1 else maps[:, 0]
    mean = f", mean of its {channels} channels" if channels > 1 else ""
    return map_grid.packed(
        maps, [f"head {head + 1}" for head in range(count)], role="signed", scale="all",
        title=f"What each head of layer {layer + 1} passes to the convolution{mean}",
        origin=dict(cache.of_subject(stages.view, subject).origin),
    )  # fmt: skip


OF_HEADS = View("outputs_of_heads", OfLayer, heads_payload, lasts=True)

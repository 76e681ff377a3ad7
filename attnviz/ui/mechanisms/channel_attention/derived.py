"""The derived value of gates: all of them side by side, for the panels of the draw page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.live.derived import Context, Derived, NoParameters

if TYPE_CHECKING:
    from attnviz.readings import Reading


def gates(context: Context[NoParameters]) -> Reading:
    """Return the gates of all layers, one after the other, (batch, channel); where a gate has places, their mean."""
    import torch

    from attnviz.readings import Reading
    from attnviz.ui.mechanisms.channel_attention.layers import kind_of, layers_of, of_channels

    found = [
        of_channels(context.seen[f"{path}.{kind_of(layer).tap}"].tensor)
        for path, layer in layers_of(context.loaded.model).items()
    ]
    return Reading("gates", torch.cat(found, 1), ("batch", "channel"))


GATES = Derived("gates", NoParameters, gates, lambda parameters: ("*gate",))

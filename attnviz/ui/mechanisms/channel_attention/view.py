"""What the components show of gates, as views of every net with gates, for pages and the live channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.components import stage_maps
from attnviz.ui.components.gates import packed
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Net, Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the gates of all layers, as the component takes them."""
    from attnviz.ui.mechanisms.channel_attention import gates

    return packed(cache.of_subject(gates.view, subject))


def stages_payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the maps of every block with gates, as the component takes them."""
    from attnviz.ui.mechanisms.channel_attention import stages

    return stage_maps.packed(cache.of_subject(stages.view, subject))


def passes(parameters: NoParameters, net: Net) -> float:
    """Return the work: a pass on the picture, and one on another; those on many pictures are made once for a net."""
    return 2.0


GATES_VIEW = View("gates_view", NoParameters, payload, passes)
BLOCKS_VIEW = View("gated_blocks_view", NoParameters, stages_payload, passes)

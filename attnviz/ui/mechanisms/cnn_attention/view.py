"""What the maps of convolutions show, as a view of every net with convolutions before its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.components.stage_maps import packed
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the maps of every convolution, as the component takes them."""
    from attnviz.ui.mechanisms.cnn_attention import stages

    return packed(cache.of_subject(stages.view, subject))


CONVOLUTIONS_VIEW = View("convolutions_view", NoParameters, payload, lasts=True)

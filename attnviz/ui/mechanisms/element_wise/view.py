"""What the stage grid shows, as a view of every net with element-wise attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.components.stage_grid import packed
from attnviz.ui.live.derived import NoParameters, View
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


STAGES_VIEW = View("stages_view", NoParameters, payload, two_passes)

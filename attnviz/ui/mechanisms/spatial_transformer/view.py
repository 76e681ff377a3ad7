"""What the component shows of a spatial transformer, as a view of every net with one, for page and live channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.components.sampling_grid import packed
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return picture, theta and answer, as the component takes them."""
    from attnviz.ui.mechanisms.spatial_transformer import grids

    return packed(cache.of_subject(grids.view, subject))


GRID_VIEW = View("sampling_grid_view", NoParameters, payload, lasts=True)

"""The derived value of spatial transformers: theta and what is sampled with it, for the panels of the draw page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.live.derived import Context, Derived, NoParameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.readings import Reading


def sampled(context: Context[NoParameters]) -> Mapping[str, Reading]:
    """Return theta, (batch, row, column), and what the classifier sees, (batch, channel, row, column)."""
    from attnviz.ui.mechanisms.spatial_transformer.many import path_of

    path = path_of(context.loaded)
    return {name: context.seen[f"{path}.{name}"] for name in ("theta", "transformed")}


SAMPLED = Derived("sampled", NoParameters, sampled, lambda parameters: ("*theta", "*transformed"))

"""What the component and the panel show of a net that reads a strip, for page, live channel and draw page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return strip, texts and weights, as the component takes them."""
    from attnviz.ui.mechanisms.sequences import reading

    return cache.of_subject(reading.view, subject).packed()


ALIGNMENT_VIEW = View("alignment_view", NoParameters, payload, lasts=True)


KINDS = {
    "additive": "additive attention",
    "none": "one vector",
    "uniform": "equal weights",
    "transformer": "a Transformer",
}


def panel_of(net: Net) -> Panel:
    """Return what the panel shows: the drawing, as a strip of one digit."""
    kind = KINDS[str(net.config.get("attention", "transformer"))]
    return Panel("Reads strips", kind, "ink", "a strip of one digit", page="sequences")

"""What the component shows of a net that reads a strip, as a view for page and live channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.components.alignment import packed
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.subjects import Subject


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return strip, texts and weights, as the component takes them."""
    from attnviz.ui.mechanisms.sequences import reading

    return packed(cache.of_subject(reading.view, subject))


ALIGNMENT_VIEW = View("alignment_view", NoParameters, payload, lasts=True)

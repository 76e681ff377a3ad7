"""What the glimpse player shows, as a view of every net that looks in glimpses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from attnviz.recipes.recipe import Strict
from attnviz.ui.components.glimpse_player import packed
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.recurrent_attention import first_look

if TYPE_CHECKING:
    from attnviz.subjects import Subject


class OfDraw(Strict):
    """Which path the player opens with.

    Args:
        draw: the seed of the random numbers; None for the path along the means.
    """

    draw: Annotated[int, Field(ge=0, lt=1 << 31)] | None = 0


def payload(subject: Subject, parameters: OfDraw) -> bytes:
    """Return a path over an example, as the player takes it."""
    draw = parameters.draw
    return first_look.stored(subject, draw) or packed(first_look.view(subject, draw))


GLIMPSES_VIEW = View("glimpses_view", OfDraw, payload)

"""The contents of the attention viewer, as a view of every net with dot-product attention."""

from functools import lru_cache
from typing import Annotated

from pydantic import Field

from attnviz.recipes.recipe import Strict
from attnviz.subjects import Subject
from attnviz.ui.live.derived import View
from attnviz.ui.shared import cache, first_look
from attnviz.views.attention import AttentionView
from attnviz.views.payload import header_of


class OfTokens(Strict):
    """The name of a token, such as "block"; by default "pixel" if it is one, else "box"."""

    unit: Annotated[str, Field(pattern=r"^[a-z ]{1,40}$")] | None = None


def attention(subject: Subject, unit: str | None = None) -> AttentionView:
    """Return the attention viewer's contents for a subject; torch is loaded only if they are not stored."""
    found = _stored(subject)
    return _computed(subject, unit) if found is None else _unpacked(found)


def payload(subject: Subject, parameters: OfTokens) -> bytes:
    """Return the same contents as the viewer's payload."""
    return _stored(subject) or _computed(subject, parameters.unit).packed()


def _computed(subject: Subject, unit: str | None) -> AttentionView:
    from attnviz.ui.dot_product import attending

    return cache.of_subject(attending.attention, subject, unit=unit)


_unpacked = lru_cache(maxsize=4)(AttentionView.unpacked)  # stored payloads


def _stored(subject: Subject) -> bytes | None:
    found = None if subject.net.card is None else first_look.stored(subject.net.key, subject.example.key)
    # The first look stored with another mechanism's net belongs to that mechanism's page.
    return None if found is None or "carried_signed" not in header_of(found) else found


ATTENTION_VIEW = View("attention_view", OfTokens, payload, lasts=True)

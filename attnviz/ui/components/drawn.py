"""What is on the pad and what the panels beside it show, as the URL says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attnviz.views.url_fields import Field, Fields

MOST_HEADS = 100_000

ALL = 100
"""Percent of the way along a training."""

LONGEST = 1_500
"""Characters of pen strokes allowed in a URL, so that all browsers and mail programs accept it."""

SAMPLE = r"\w+\.\d+"
"""The name of a picture that may stand in a URL, NAME.NUMBER; `frontend/drawing_pad/derive.js` has the same."""

MAPS = ("attention", "jacobian")

FIELDS = Fields(Field("strokes", "text", ""), Field("start", "text"), Field("centred", "yes_no", True))
"""The fields of what is drawn."""

PIN = {"strokes": "pin", "start": "pin_start", "centred": "pin_centred"}
"""The fields of a drawing -> those of the one that is pinned."""

PANELS = Fields(
    Field("heads", "text", ""),
    Field("map", "choice", MAPS[0], MAPS),
    Field("change", "yes_no", False),
    Field("trained", "text", ""),
    Field("pin_trained", "text", ""),
    *(replace(field, name=PIN[field.name]) for field in FIELDS.fields),
)

"""The fields of what the panels show, and of what is pinned."""

LINK = Fields(*FIELDS.fields, Field("models", "text", ""), *PANELS.fields)
"""The fields of a link that the browser makes."""


@dataclass(frozen=True)
class Drawn:
    """What is on the pad, as far as Python knows it: the strokes ("" for none), the name of the picture under them,
    such as "strokes.12", and whether the models see the ink cut out, scaled and centred.
    """

    drawing: str = ""
    base: str | None = None
    centred: bool = True

    def plain(self) -> dict[str, Any]:
        """Return it as JSON says it, in the order in which the browser says it."""
        return {"drawing": self.drawing, "base": self.base, "centred": self.centred}


@dataclass(frozen=True)
class Shown:
    """What the panels show, as far as Python knows it.

    Args:
        heads: model -> its attention head from 0, of the models whose head the visitor has chosen.
        map: one of MAPS.
        change: whether the maps show how they differ from those of the pinned drawing.
        pin: the pinned drawing; None where nothing is pinned that fits into a URL.
        trained: how far along their epochs the models are, percent below 100; None for all of it.
        pin_trained: how far along they are that answered to the pinned drawing, percent up to 100; None for as
            `trained`.
    """

    heads: Mapping[str, int] = field(default_factory=dict)
    map: str = MAPS[0]
    change: bool = False
    pin: Drawn | None = None
    trained: int | None = None
    pin_trained: int | None = None

    def plain(self) -> dict[str, Any]:
        """Return it as JSON says it."""
        pin = self.pin.plain() if self.pin else None
        return {
            "heads": dict(self.heads), "map": self.map, "change": self.change, "trained": self.trained,
            "pin_trained": self.pin_trained, "pin": pin,
        }  # fmt: skip


def is_drawing(word: str) -> bool:
    """Return whether a word may be a drawing: whether it is one, the browser finds out."""
    return re.fullmatch(rf"[A-Za-z0-9_-]{{0,{LONGEST}}}", word) is not None


def shareable(drawn: Drawn) -> Drawn:
    """Return what of it may stand in a URL: nothing that is drawn on a picture that came from outside."""
    from_outside = drawn.base is not None and not re.fullmatch(SAMPLE, drawn.base, re.ASCII)
    return Drawn(centred=drawn.centred) if from_outside else drawn


def drawn_to_url(drawn: Drawn) -> dict[str, str | None]:
    """Return what is on the pad in the words of the URL; None where one is to be taken out."""
    shared = shareable(drawn)
    return FIELDS.write({"strokes": shared.drawing, "start": shared.base, "centred": shared.centred})


def drawn_from_url(words: Mapping[str, str]) -> tuple[Drawn, list[str]]:
    """Return what the URL names, and a sentence for every word of it that makes no sense.

    Whether there is a picture of the name after `start` is for the page to say.
    """
    found = FIELDS.complete(FIELDS.read(words))
    drawing, centred, sentences = found["strokes"], found["centred"], []
    if not is_drawing(drawing):
        why = f"it is longer than {LONGEST:,} characters" if len(drawing) > LONGEST else "it was not made by this app"
        sentences.append(f"The drawing in the URL cannot be read: {why}. The pad is empty.")
        drawing = ""
    if not isinstance(centred, bool):
        sentences.append(f"The URL says centred={centred!r}; it can be 'yes' or 'no'. You see 'yes' instead.")
        centred = True
    return Drawn(drawing, found["start"] or None, centred), sentences


def shown_to_url(shown: Shown) -> dict[str, str | None]:
    """Return what the panels show in the words of the URL; None where one is to be taken out."""
    heads = ",".join(f"{name}:{head + 1}" for name, head in shown.heads.items())
    pin = drawn_to_url(shown.pin) if shown.pin else {}
    trained, then = ("" if part is None else str(part) for part in (shown.trained, shown.pin_trained))
    words = PANELS.write(
        {"heads": heads, "map": shown.map, "change": shown.change, "trained": trained, "pin_trained": then}
    )
    return {**words, **{word: pin.get(name) for name, word in PIN.items()}}


def pinned_from_url(words: Mapping[str, str]) -> tuple[Drawn | None, list[str]]:
    """Return what a copied link pins, None where it pins nothing; and a sentence for what makes no sense."""
    mine = {name: words[word] for name, word in PIN.items() if word in words}
    if not mine:
        return None, []
    drawn, sentences = drawn_from_url(mine)
    if sentences or (not drawn.drawing and drawn.base is None):
        return None, ["The pinned drawing in this link cannot be read; nothing is pinned."]
    return drawn, []

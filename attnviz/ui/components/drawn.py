"""The drawing on the pad and the state of the panels next to it, as stored in the URL."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from attnviz.views.url_fields import Field, Fields

MOST_HEADS = 100_000

ALL = 100
"""Percent of a complete training."""

LONGEST = 1_500
"""The maximum number of characters of pen strokes in a URL, so that all browsers and mail programs accept it."""

SAMPLE = r"\w+\.\d+"
"""The pattern of picture names allowed in a URL, NAME.NUMBER; the same as in `frontend/drawing_pad/derive.js`."""

MAPS = ("attention", "jacobian")

FIELDS = Fields(Field("strokes", "text", ""), Field("start", "text"), Field("centred", "yes_no", True))
"""The URL fields of a drawing."""

PIN = {"strokes": "pin", "start": "pin_start", "centred": "pin_centred"}
"""The fields of a drawing -> those of the pinned drawing."""

PANELS = Fields(
    Field("heads", "text", ""),
    Field("map", "choice", MAPS[0], MAPS),
    Field("change", "yes_no", False),
    Field("trained", "text", ""),
    Field("pin_trained", "text", ""),
    *(replace(field, name=PIN[field.name]) for field in FIELDS.fields),
)

"""The URL fields of the panels, and of the pinned drawing."""

LINK = Fields(*FIELDS.fields, Field("models", "text", ""), *PANELS.fields)
"""The fields of links made by the browser."""


@dataclass(frozen=True)
class Drawn:
    """The drawing on the pad, as far as Python knows it: the strokes ("" for none), the name of the picture under them,
    such as "strokes.12", and whether the models see the ink cut out, scaled and centred.
    """

    drawing: str = ""
    base: str | None = None
    centred: bool = True

    def plain(self) -> dict[str, Any]:
        """Return the drawing as plain JSON values, in the browser's order."""
        return {"drawing": self.drawing, "base": self.base, "centred": self.centred}


@dataclass(frozen=True)
class Shown:
    """The state of the panels, as far as Python knows it.

    Args:
        heads: Model -> its attention head from 0, for the models whose head the visitor has chosen.
        map: One of MAPS.
        change: Whether the maps show the difference from those of the pinned drawing.
        pin: The pinned drawing; None if there is none that fits into a URL.
        trained: How far the models are through their epochs, percent below 100; None for the shipped weights.
        pin_trained: The same for the answers to the pinned drawing, percent up to 100; None for the value of `trained`.
    """

    heads: Mapping[str, int] = field(default_factory=dict)
    map: str = MAPS[0]
    change: bool = False
    pin: Drawn | None = None
    trained: int | None = None
    pin_trained: int | None = None

    def plain(self) -> dict[str, Any]:
        """Return the state as plain JSON values."""
        pin = self.pin.plain() if self.pin else None
        return {
            "heads": dict(self.heads), "map": self.map, "change": self.change, "trained": self.trained,
            "pin_trained": self.pin_trained, "pin": pin,
        }  # fmt: skip


class Seen(NamedTuple):
    """The last drawing that the models received.

    Args:
        word: Their input, encoded as a drawing (`attnviz.data.inputs.drawing`); "" if the pad is empty.
        cleared: The last inputs that were cleared from the pad before it, the oldest first, each as (name, input). The
            name identifies the clearing: one that was undone is missing.
    """

    word: str
    cleared: tuple[tuple[str, str], ...] = ()


def is_drawing(word: str) -> bool:
    """Return whether a string may encode a drawing; only the browser can tell whether it does."""
    return re.fullmatch(rf"[A-Za-z0-9_-]{{0,{LONGEST}}}", word) is not None


def shareable(drawn: Drawn) -> Drawn:
    """Return the part of a drawing that may be in a URL: no strokes on an uploaded picture."""
    from_outside = drawn.base is not None and not re.fullmatch(SAMPLE, drawn.base, re.ASCII)
    return Drawn(centred=drawn.centred) if from_outside else drawn


def drawn_to_url(drawn: Drawn) -> dict[str, str | None]:
    """Return the URL fields of a drawing, None for a field to remove."""
    shared = shareable(drawn)
    return FIELDS.write({"strokes": shared.drawing, "start": shared.base, "centred": shared.centred})


def drawn_from_url(words: Mapping[str, str]) -> tuple[Drawn, list[str]]:
    """Return the drawing in the URL, and a sentence for each invalid field.

    The page checks whether the picture named by `start` exists.
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
    """Return the URL fields of the panels, None for a field to remove."""
    heads = ",".join(f"{name}:{head + 1}" for name, head in shown.heads.items())
    pin = drawn_to_url(shown.pin) if shown.pin else {}
    trained, then = ("" if part is None else str(part) for part in (shown.trained, shown.pin_trained))
    words = PANELS.write(
        {"heads": heads, "map": shown.map, "change": shown.change, "trained": trained, "pin_trained": then}
    )
    return {**words, **{word: pin.get(name) for name, word in PIN.items()}}


def pinned_from_url(words: Mapping[str, str]) -> tuple[Drawn | None, list[str]]:
    """Return the drawing that a copied link pins, or None, and a sentence for each invalid field."""
    mine = {name: words[word] for name, word in PIN.items() if word in words}
    if not mine:
        return None, []
    drawn, sentences = drawn_from_url(mine)
    if sentences or (not drawn.drawing and drawn.base is None):
        return None, ["The pinned drawing in this link cannot be read; nothing is pinned."]
    return drawn, []

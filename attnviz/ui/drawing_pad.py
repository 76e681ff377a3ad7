"""The pad to draw on, and the cards of the models beside it: what `frontend/drawing_pad.js` draws.

What is drawn lives in the browser, and goes to the models over the live channel while the hand moves. Python hears of
it once, when the hand has come to rest, and puts it into the address:

    strokes   the strokes, as `frontend/strokes.js` writes them (which also reads them: here they are only passed on)
    start     the picture under them: a test picture of a data set, as NAME.NUMBER
    centred   "no" where the models are to see the canvas as it is

Where the strokes are too long for an address, or lie on a picture that came from outside, only the browser has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput
from attnviz.ui.components import component
from attnviz.ui.payload import pack
from attnviz.ui.wishes import last_wish, wish

LONGEST = 1_500
"""Characters of strokes that may stand in an address: with the rest of it, all browsers and mail programs take that."""

SIDES = (28, 280)

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Drawn:
    """What is on the pad, as far as Python knows it.

    Args:
        drawing: the strokes; "" where there are none.
        base: the name of the picture under them, such as "strokes.12"; None where there is none.
        centred: whether the models see the ink cut out, scaled and centred.
    """

    drawing: str = ""
    base: str | None = None
    centred: bool = True

    def plain(self) -> dict[str, Any]:
        """Return it as JSON says it, in the order in which the browser says it."""
        return {"drawing": self.drawing, "base": self.base, "centred": self.centred}


@dataclass(frozen=True, eq=False)
class Base:
    """A picture to draw on.

    Args:
        name: by which it is known: "strokes.12" for a test picture; a name without a dot stays out of the address.
        picture: uint8 (28, 28) or (280, 280); 0 is paper, 255 is ink.
        label: what it shows, where that is known.
    """

    name: str
    picture: Bytes
    label: str = ""


@dataclass(frozen=True, eq=False)
class Cards:
    """What the cards need, passed on to `frontend/draw_cards.js` as it is.

    Args:
        header: what JSON can say.
        arrays: none of them is named "samples" or "base".
    """

    header: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


def drawing_pad(
    drawn: Drawn,
    *,
    key: str,
    samples: Sequence[Base],
    on_change: Callable[[], None],
    base: Base | None = None,
    ways: Mapping[str, str] | None = None,
    way: str = "",
    cards: Cards | None = None,
) -> None:
    """Draw the pad and the cards.

    Args:
        drawn: what the address says.
        key: the component's name in this page; keep it fixed.
        samples: pictures of 28 x 28 to start from.
        on_change: called when the hand has come to rest, before the page runs again; `on_pad` then gives what is drawn.
        base: the picture under the strokes that `drawn` names.
        ways: to other pictures, and the words for each; the page has them chosen once `wished_way` says which.
        way: the one that is open; "" for none.
        cards: of the models that look.

    Raises:
        BadInput: a picture is of another kind or size, or the base is not the one that is named.
    """
    for one in [*samples, *([base] if base else [])]:
        sides = SIDES if one is base else SIDES[:1]
        if one.picture.dtype != np.uint8 or one.picture.shape not in [(side, side) for side in sides]:
            wanted = " or ".join(f"({side}, {side})" for side in sides)
            raise BadInput(f"{one.name}: expected uint8 {wanted}, got {one.picture.dtype} {one.picture.shape}.")
    if drawn.base != (base.name if base else None):
        raise BadInput(f"The base should be {drawn.base!r}, and is {base.name if base else None!r}.")
    cards = cards or Cards()
    asked, number = wish(key, drawn.plain(), _shown(key))
    header = {
        "asked": asked,
        "wish": number,
        "address": drawn.plain(),
        "longest": LONGEST,
        "side": len(base.picture) if base else None,
        "samples": [{"name": one.name, "label": one.label} for one in samples],
        "ways": [{"name": name, "label": label} for name, label in (ways or {}).items()],
        "way": way,
        "cards": dict(cards.header),
    }
    stacked = np.stack([one.picture for one in samples]) if samples else np.zeros((0, 28, 28), np.uint8)
    arrays = {**cards.arrays, "samples": stacked, **({"base": base.picture} if base else {})}
    component("drawing_pad")(
        key=key, data=pack(header, arrays),
        on_drawn_change=on_change, on_seen_change=_nothing, on_way_change=_nothing,
    )  # fmt: skip


def on_pad(key: str) -> Drawn | None:
    """Return what was on the pad of that key when the hand last came to rest.

    None before the first time, and while the pad has been asked to show something else: what it tells meanwhile is of
    before, and would undo in the address what a link or *Back* has just put there.
    """
    told = _told(key)
    if told is None or _is_late(key, told):
        return None
    drawing, base = told.get("drawing"), told.get("base")
    return Drawn(
        drawing if isinstance(drawing, str) and is_drawing(drawing) else "",
        base[:100] if isinstance(base, str) else None,
        told.get("centred") is not False,
    )


def seen_on_pad(key: str) -> str | None:
    """Return what the models saw last of the pad of that key, as the word of a drawing (attnviz/data/drawing.py).

    None where nothing is drawn, and where `Cards` did not say "settled": else each stroke would be told twice.
    """
    word = _said(key, "seen")
    return word if isinstance(word, str) and word else None


def wished_way(key: str) -> str | None:
    """Return the way to another picture that was clicked just now, "" to close the one that is open; else None."""
    way = _said(key, "way")
    return way if isinstance(way, str) else None


def is_drawing(word: str) -> bool:
    """Say whether a word may be a drawing: whether it is one, the browser finds out."""
    return re.fullmatch(rf"[A-Za-z0-9_-]{{0,{LONGEST}}}", word) is not None


def shareable(drawn: Drawn) -> Drawn:
    """Return what of it may stand in an address: nothing that is drawn on a picture that came from outside."""
    from_outside = drawn.base is not None and "." not in drawn.base
    return Drawn(centred=drawn.centred) if from_outside else drawn


def drawn_to_address(drawn: Drawn) -> dict[str, str | None]:
    """Return what is on the pad in the words of the address; None where one is to be taken out."""
    shared = shareable(drawn)
    return {
        "strokes": shared.drawing or None,
        "start": shared.base,
        "centred": None if shared.centred else "no",
    }


def drawn_from_address(words: Mapping[str, str]) -> tuple[Drawn, list[str]]:
    """Return what the address asks for, and a sentence for every word of it that makes no sense.

    Whether there is a picture of the name after `start` is for the page to say.
    """
    drawing, centred, sentences = words.get("strokes", ""), words.get("centred", "yes"), []
    if not is_drawing(drawing):
        why = f"it is longer than {LONGEST:,} characters" if len(drawing) > LONGEST else "it is not one of this app"
        sentences.append(f"The drawing in the address cannot be read: {why}. The pad is empty.")
        drawing = ""
    if centred not in ("yes", "no"):
        sentences.append(f"The address says centred={centred!r}; it can be 'yes' or 'no'. This is 'yes'.")
    return Drawn(drawing, words.get("start") or None, centred != "no"), sentences


def _nothing() -> None:
    """Hear of what was seen or clicked: the page reads it when it runs."""


def _shown(key: str) -> dict[str, Any] | None:
    """Return what the pad shows, as an address would say it; None where nobody knows."""
    told = _told(key)
    if told is None:
        return None
    if _is_late(key, told):
        wished: dict[str, Any] = last_wish(key)[0]
        return wished
    drawn = on_pad(key)
    return shareable(drawn).plain() if drawn else None


def _is_late(key: str, told: Mapping[str, Any]) -> bool:
    """Say whether the pad told this before it knew of the last wish."""
    wish = told.get("wish")
    return isinstance(wish, int) and wish < last_wish(key)[1]


def _told(key: str) -> dict[str, Any] | None:
    told = _said(key, "drawn")
    return dict(told) if isinstance(told, Mapping) else None


def _said(key: str, name: str) -> Any:
    import streamlit as st

    found = st.session_state.get(key)
    return found.get(name) if isinstance(found, Mapping) else None

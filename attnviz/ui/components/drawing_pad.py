"""The pad to draw on, and the panels of the models next to it: the data for `frontend/drawing_pad/drawing_pad.js`.

The drawing lives in the browser, and is sent to the models over the live channel while the hand moves. Python learns of
it once, when the hand has come to rest, and writes it into the URL:

    strokes   the pen strokes, as `frontend/hands/strokes.js` writes and reads them; here they are only passed on
    start     the picture under them: a test picture of a data set, as NAME.NUMBER
    centred   "no" if the models see the canvas without centring
    pin       the pinned pen strokes, and likewise `pin_start` and `pin_centred`
    heads     the attention heads that the visitor has chosen, from 1, as NAME:HEAD,NAME:HEAD
    map       what the panels show: "attention" or "jacobian"
    change    "yes" if they show how it differs from that of the pinned drawing
    trained   how far along the epochs of their histories the models are, in percent; without it they are as trained
    pin_trained   likewise of the answers to the pinned drawing, 100 for as trained; without it as `trained`

A link that the browser makes says the same. Where the strokes are too long for a URL, or lie on a picture that came
from outside, only the browser has them: it keeps them, and what can be undone, until the tab is closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data.inputs import digit, drawing
from attnviz.errors import BadInput
from attnviz.ui.components.component import component
from attnviz.ui.components.drawn import ALL, LINK, LONGEST, MAPS, MOST_HEADS, Drawn, Shown, is_drawing, shareable
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import pack

DECLARED = ("strokes", "models", "answers", "answer", "agreeing")
"""What lessons can ask for: how many strokes are drawn; and of the models that know all classes how many there are, how
many different answers they give, the most frequent one, and how many give it."""


UNDONE = "undone"  # what the browser tells of such a drawing

LARGEST = digit.CANVAS
"""Pixels along each side of a picture to draw on, at most."""


@dataclass(frozen=True)
class Sheet:
    """What is drawn on.

    Args:
        canvas: pixels along each side of what the models are shown.
        side: pixels along each side of a picture to start from.
        channels: 1 for ink on paper, 3 for colours.
        centres: whether what is drawn may be cut out, scaled and centred.
        hint: stands on it while it is empty.
    """

    canvas: int = digit.CANVAS
    side: int = drawing.SIDE
    channels: int = 1
    centres: bool = True
    hint: str = "Draw a digit here"


@dataclass(frozen=True, eq=False)
class Base:
    """A picture to draw on.

    Args:
        name: by which it is known: "strokes.12" for a test picture; a name that is not SAMPLE stays out of the URL.
        picture: uint8 (side, side), 0 is paper and 255 is ink; or in colour (side, side, 3). At most LARGEST a side.
        label: what it shows, where that is known.
    """

    name: str
    picture: Bytes
    label: str = ""


@dataclass(frozen=True, eq=False)
class Cards:
    """What the cards need, passed on to `frontend/draw/cards.js` as it is: a header in JSON, and arrays, none of them
    named "samples" or "base".
    """

    header: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


def drawing_pad(
    drawn: Drawn,
    *,
    key: str,
    samples: Sequence[Base],
    sheet: Sheet | None = None,
    on_change: Callable[[], None],
    base: Base | None = None,
    shown: Shown | None = None,
    pinned_base: Base | None = None,
    inputs: Mapping[str, str] | None = None,
    opened: str = "",
    cards: Cards | None = None,
) -> None:
    """Draw the pad with what the URL says is `drawn` and `shown`, and the cards.

    `samples` are pictures of one size to start from; `base` and `pinned_base` lie under the strokes of what is drawn
    and pinned. `inputs` are other inputs by name, with the words for each: the page shows the one that `clicked_input`
    returns, and `opened` is the one that is open, "" for none. `on_change` is called when the hand has come to rest,
    before the page runs again; `on_pad` then gives what is drawn.
    """
    sheet = sheet or Sheet()
    for one in [*samples, *([base] if base else []), *([pinned_base] if pinned_base else [])]:
        shape = one.picture.shape
        square = len(shape) in (2, 3) and 0 < shape[0] == shape[1] <= LARGEST and shape[2:] in ((), (3,))
        if one.picture.dtype != np.uint8 or not square:
            wanted = f"(side, side) or (side, side, 3) of at most {LARGEST} pixels a side"
            raise BadInput(f"{one.name}: expected uint8 {wanted}, got {one.picture.dtype} {shape}.")
    if drawn.base != (base.name if base else None):
        raise BadInput(f"The base must be {drawn.base!r}, not {base.name if base else None!r}.")
    cards, shown = cards or Cards(), shown or Shown()
    header = {
        "state": {"drawn": _drawn(key).ask(drawn.plain()), "panels": _panels(key).ask(shown.plain())},
        "url": drawn.plain(),
        "longest": LONGEST,
        "fields": LINK.declared(),
        "sheet": asdict(sheet),
        "side": len(base.picture) if base else None,
        "pin_side": len(pinned_base.picture) if pinned_base else None,
        "samples": [{"name": one.name, "label": one.label} for one in samples],
        "panels": shown.plain(),
        "inputs": [{"name": name, "label": label} for name, label in (inputs or {}).items()],
        "input": opened,
        "cards": dict(cards.header),
    }
    empty = np.zeros((0, drawing.SIDE, drawing.SIDE), np.uint8)
    stacked = np.stack([one.picture for one in samples]) if samples else empty
    arrays = {**cards.arrays, "samples": stacked, **({"base": base.picture} if base else {})}
    if pinned_base:
        arrays["pin_base"] = pinned_base.picture
    component("drawing_pad")(
        key=key, data=pack(header, arrays),
        on_drawn_change=_drawn(key).callback(on_change), on_panels_change=_panels(key).callback(on_change),
        on_seen_change=_nothing, on_input_change=_nothing,
    )  # fmt: skip


def on_pad(key: str) -> Drawn | None:
    """Return what was on the pad of that key when the hand last came to rest.

    None before the first time, and while the last report is late: it would undo in the URL what a link or *Back* has
    just put there.
    """
    told = _drawn(key).reported()
    return _read(told) if isinstance(told, Mapping) else None


def seen_on_pad(key: str) -> str | None:
    """Return what the models saw last of the pad of that key, as the word of a drawing (attnviz.data.inputs.drawing).

    None where nothing is drawn, and where `Cards` did not say "settled": else each stroke would be told twice. "" where
    an undo or the eraser has left nothing of a drawing that goes on.
    """
    word = ControlledState(key, "seen").shown()
    return ("" if word == UNDONE else word) if isinstance(word, str) and word else None


def shown_on_pad(key: str) -> Shown | None:
    """Return what the panels showed when the hand last came to rest; None as `on_pad`."""
    told = _panels(key).reported()
    return _read_panels(told) if isinstance(told, Mapping) else None


def clicked_input(key: str) -> str | None:
    """Return the name of the other input that was clicked just now, "" to close the one that is open; else None."""
    import streamlit as st

    found = st.session_state.get(key)
    name = found.get("input") if isinstance(found, Mapping) else None
    return name if isinstance(name, str) else None


def _nothing() -> None:
    """Hear of what was seen or clicked: the page reads it when it runs."""


def _drawn(key: str) -> ControlledState:
    return ControlledState(
        key, "drawn", lambda told: shareable(_read(told)).plain() if isinstance(told, Mapping) else UNKNOWN
    )


def _panels(key: str) -> ControlledState:
    return ControlledState(
        key, "panels", lambda told: _read_panels(told).plain() if isinstance(told, Mapping) else UNKNOWN
    )


def _read_panels(told: Mapping[str, Any]) -> Shown:
    """Return what a browser reports of the panels; of what makes no sense, nothing."""
    heads, shown, pin, trained = told.get("heads"), told.get("map"), told.get("pin"), told.get("trained")
    pinned = shareable(_read(pin)) if isinstance(pin, Mapping) else None
    pinned = pinned if pinned and (pinned.drawing or pinned.base) else None
    then = told.get("pin_trained")
    return Shown(
        {name: head for name, head in heads.items() if _is_head(name, head)} if isinstance(heads, Mapping) else {},
        shown if shown in MAPS else MAPS[0],
        told.get("change") is True,
        pinned,
        trained if type(trained) is int and 0 <= trained < ALL else None,
        then if pinned and type(then) is int and 0 <= then <= ALL else None,
    )


def _is_head(name: str, head: object) -> bool:
    return re.fullmatch(r"[\w.:@-]{1,200}", name) is not None and type(head) is int and 0 <= head < MOST_HEADS


def _read(told: Mapping[str, Any]) -> Drawn:
    """Return what a browser reports as on the pad; of what makes no sense, nothing."""
    drawing, base = told.get("drawing"), told.get("base")
    return Drawn(
        drawing if isinstance(drawing, str) and is_drawing(drawing) else "",
        base[:100] if isinstance(base, str) else None,
        told.get("centred") is not False,
    )

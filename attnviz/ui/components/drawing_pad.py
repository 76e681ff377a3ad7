"""The drawing pad, and the models' panels next to it: the data for `frontend/drawing_pad/drawing_pad.js`.

The browser owns the drawing, and sends it to the models over the live channel while the hand moves. It reports the
drawing to Python once, when the hand has come to rest, and Python writes it into the URL:

    strokes   the pen strokes, encoded and decoded by `frontend/hands/strokes.js`; Python only passes them on
    start     the picture under them: a test picture of a data set, as NAME.NUMBER
    centred   "no" if the models see the canvas without centring
    pin       the pinned pen strokes, and likewise `pin_start` and `pin_centred`
    heads     the attention heads that the visitor has chosen, from 1, as NAME:HEAD,NAME:HEAD
    map       the panels' maps: "attention" or "jacobian"
    change    "yes" if the maps show the difference from the pinned drawing's
    trained   how far the models are through the epochs of their histories, in percent; as shipped if missing
    pin_trained   the same for the answers to the pinned drawing, 100 for the shipped weights; as `trained` if missing

Links made by the browser have the same fields. If the strokes are too long for a URL, or lie on an uploaded picture,
only the browser has them: it keeps them, and the undo history, until the tab is closed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data.inputs import digit, drawing
from attnviz.errors import BadInput
from attnviz.ui.components.component import component
from attnviz.ui.components.drawn import ALL, LINK, LONGEST, MAPS, MOST_HEADS, Drawn, Seen, Shown, is_drawing, shareable
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import pack

DECLARED = ("strokes", "models", "answers", "answer", "agreeing")
"""The values that lessons can use: the number of strokes; and, for the models that know all classes, their number, how
many different answers they predict, the most frequent one, and how many predict it."""


LARGEST = digit.CANVAS
"""The maximum side of a picture to draw on, in pixels."""


@dataclass(frozen=True)
class Sheet:
    """The sheet that is drawn on.

    Args:
        canvas: The side of the canvas that the models are shown, in pixels.
        side: The side of a picture to start from, in pixels.
        channels: 1 for ink on paper, 3 for colours.
        centres: Whether the drawing may be cut out, scaled and centred.
        hint: The text on the sheet while it is empty.
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
        name: The picture's name, such as "strokes.12" for a test picture; kept out of the URL if not a SAMPLE.
        picture: uint8 (side, side), 0 is paper and 255 is ink, or in colour (side, side, 3); at most LARGEST a side.
        label: The class that it shows, if known.
    """

    name: str
    picture: Bytes
    label: str = ""


@dataclass(frozen=True, eq=False)
class Cards:
    """The data of the cards, passed on unchanged to `frontend/draw/cards.js`: a header for JSON, and arrays, none of
    which may be named "samples" or "base".
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
    """Draw the pad with the URL's drawing, `drawn`, and panels, `shown`, and the cards.

    `samples` are pictures of one size to start from; `base` and `pinned_base` lie under the strokes of the current and
    the pinned drawing. `inputs` are other inputs, name -> label: the page shows the one that `clicked_input` returns,
    and `opened` is the open one, or "". `on_change` is called when the hand has come to rest, before the page reruns;
    `on_pad` then returns the drawing.
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
    """Return the drawing on the pad of that key when the hand last came to rest.

    Returns None before the first report, and while the last report is late: it would undo a change that a link or
    *Back* has just made to the URL.
    """
    told = _drawn(key).reported()
    return _read(told) if isinstance(told, Mapping) else None


def seen_on_pad(key: str) -> Seen | None:
    """Return the models' latest input from the pad of that key, and those that were cleared before it.

    Returns None before the first report, after nonsense, and if the header of `Cards` has no "settled", since each
    stroke would otherwise be reported twice.
    """
    told = ControlledState(key, "seen").shown()
    if not isinstance(told, Mapping) or not isinstance(told.get("cleared"), list):
        return None
    texts = [told.get("word"), *(text for pair in told["cleared"] if isinstance(pair, list) for text in pair)]
    if not all(isinstance(text, str) for text in texts) or len(texts) != 1 + 2 * len(told["cleared"]):
        return None
    return Seen(told["word"], tuple((step, word) for step, word in told["cleared"]))


def shown_on_pad(key: str) -> Shown | None:
    """Return the state of the panels when the hand last came to rest, or None as in `on_pad`."""
    told = _panels(key).reported()
    return _read_panels(told) if isinstance(told, Mapping) else None


def clicked_input(key: str) -> str | None:
    """Return the name of the other input just clicked, "" if the open one was closed, or None if neither happened."""
    import streamlit as st

    found = st.session_state.get(key)
    name = found.get("input") if isinstance(found, Mapping) else None
    return name if isinstance(name, str) else None


def _nothing() -> None:
    """Do nothing on a report: the page reads it when it runs."""


def _drawn(key: str) -> ControlledState:
    return ControlledState(
        key, "drawn", lambda told: shareable(_read(told)).plain() if isinstance(told, Mapping) else UNKNOWN
    )


def _panels(key: str) -> ControlledState:
    return ControlledState(
        key, "panels", lambda told: _read_panels(told).plain() if isinstance(told, Mapping) else UNKNOWN
    )


def _read_panels(told: Mapping[str, Any]) -> Shown:
    """Return the state of the panels from a browser's report, without invalid values."""
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
    """Return the drawing from a browser's report, without invalid values."""
    drawing, base = told.get("drawing"), told.get("base")
    return Drawn(
        drawing if isinstance(drawing, str) and is_drawing(drawing) else "",
        base[:100] if isinstance(base, str) else None,
        told.get("centred") is not False,
    )

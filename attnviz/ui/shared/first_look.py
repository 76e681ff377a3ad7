"""Views computed in advance, so that the first visitor need not wait for torch, nor the home page for numpy.

A view is stored next to its weights, as the bytes that are sent to the browser. The mechanism that shows it has a
module that recomputes it.
"""

from pathlib import Path

from attnviz import files
from attnviz.checkpoint_folder import CARD, folder
from attnviz.errors import BadInput
from attnviz.version import VERSION
from attnviz.views.payload import header_of

_FILE = "first_look.view"
_LARGEST = 2**24  # bytes; our largest file has 0.4 million


def stored(name: str, image: str | None = None) -> bytes | None:
    """Return the view stored with a checkpoint if it was computed from its weights and shows the picture `image`, such
    as "strokes/test/23", or None otherwise.
    """
    beside = folder() / name
    stamps = files.stamp(beside / _FILE), files.stamp(beside / CARD)
    if None in stamps:  # most checkpoints have none
        return None
    found = _read.get(beside, stamps, lambda: _valid(beside))
    return found if found and image in (None, header_of(found)["origin"].get("image")) else None


_read = files.Remembered[bytes | None](2**25)  # our files have 1.5 million bytes in total


def _valid(beside: Path) -> bytes | None:
    """Return the view in a folder if this version computed it from the weights there, or None otherwise."""
    try:
        card = files.from_json(files.read(beside / CARD, _LARGEST))
        found = files.read(beside / _FILE, _LARGEST)
        origin = header_of(found)["origin"]
        _ = origin.get("image")
    except (OSError, ValueError, KeyError, AttributeError, BadInput):
        return None
    digest = card.get("weights_digest") if isinstance(card, dict) else None
    told = origin.get("software"), origin.get("digest")
    return found if told == (f"attnviz {VERSION}", digest) else None


def keep(name: str, view: bytes) -> None:
    """Store the view that the page shows first, a payload with an "origin", next to its checkpoint's weights, replacing
    the previous one.
    """
    files.write(folder() / name / _FILE, view)

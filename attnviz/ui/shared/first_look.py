"""Views computed in advance, so that a first visitor need not wait for torch, nor the home page for numpy.

A view lies beside the weights it belongs to, in the bytes in which the browser gets it. The mechanism that shows it has
a module that computes it again.
"""

import json

import attnviz
from attnviz import files
from attnviz.checkpoint_folder import folder
from attnviz.errors import BadInput
from attnviz.ui.components.payload import header_of

_FILE = "first_look.view"
_LARGEST = 2**24  # bytes; the largest of ours has 0.4 million


def stored(name: str, image: str | None = None) -> bytes | None:
    """Return the view that lies beside the weights of a checkpoint, if it was computed from them, else None.

    Args:
        name: of the checkpoint.
        image: which picture it must show, such as "strokes/test/23"; None for whichever it is.
    """
    beside = folder() / name
    try:
        card = json.loads(files.read(beside / "card.json", _LARGEST))
        found = files.read(beside / _FILE, _LARGEST)
        origin = header_of(found)["origin"]
    except (OSError, ValueError, KeyError, BadInput):
        return None
    wanted = {
        "software": f"attnviz {attnviz.__version__}",
        "digest": card.get("weights_digest") if isinstance(card, dict) else None,
        "image": image or origin.get("image"),
    }
    return found if all(origin.get(key) == value for key, value in wanted.items()) else None


def keep(name: str, view: bytes) -> None:
    """Write a view beside the weights of its checkpoint, in place of the one before.

    Args:
        name: of the checkpoint.
        view: what the page is to show first: a payload whose header has an "origin".
    """
    files.write(folder() / name / _FILE, view)

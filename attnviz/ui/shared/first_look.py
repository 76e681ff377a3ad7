"""Views computed in advance, so that a first visitor need not wait for torch to load.

A view lies beside the weights it belongs to. The mechanism that shows it has a module that computes it again.
"""

from dataclasses import fields
from typing import Any

import numpy as np

import attnviz
from attnviz import cards
from attnviz.cards import Card
from attnviz.files import write
from attnviz.ui.components.payload import pack, unpack
from attnviz.ui.components.pixel_viewer import AttentionView

_FILE = "first_look.view"


def read(card: Card, image: str) -> AttentionView | None:
    """Return the view that was computed in advance if it belongs to these weights and this picture, else None.

    Args:
        card: of the model.
        image: such as "strokes/test/23".
    """
    path = cards.folder() / card.name / _FILE
    if not path.exists():
        return None
    header, arrays = unpack(path.read_bytes())
    wanted = {"software": f"attnviz {attnviz.__version__}", "digest": card.weights_digest, "image": image}
    if any(header["origin"].get(name) != value for name, value in wanted.items()):
        return None
    header["classes"] = tuple(header["classes"])
    values: dict[str, Any] = {**header, **arrays}
    return AttentionView(**{field.name: values[field.name] for field in fields(AttentionView) if field.name in values})


def keep(name: str, view: AttentionView) -> None:
    """Write a view beside the weights of its checkpoint, in place of the one before.

    Args:
        name: of the checkpoint.
        view: what the page is to show first.
    """
    values = {field.name: getattr(view, field.name) for field in fields(view)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    header = {name: value for name, value in values.items() if name not in arrays and value is not None}
    write(cards.folder() / name / _FILE, pack(header, arrays))

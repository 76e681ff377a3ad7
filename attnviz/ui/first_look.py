"""The first look: what the pixel page shows a stranger, computed ahead, so that nobody has to wait for torch to load.

`python -m attnviz.ui.first_look` computes it again, after the checkpoint has been trained again. It is the only view
that is kept; a test holds it equal to what the model computes.
"""

from dataclasses import fields
from typing import Any

import numpy as np

import attnviz
from attnviz import cards, data
from attnviz.cards import Card
from attnviz.files import write
from attnviz.ui.payload import pack, unpack
from attnviz.ui.pixel_viewer import AttentionView

NAME, SOURCE = "pixel_attention.1v8", "strokes"
_FILE = "first_look.view"


def read(card: Card, image: str) -> AttentionView | None:
    """Return the view that was computed ahead, if it is the one of these weights and this picture, else None.

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


def renew() -> None:
    """Compute the first look again and write it beside the weights: the first picture of the model's first class."""
    from attnviz.ui import looking

    checkpoint = looking.exactly(NAME)
    label = checkpoint.card.recipe.classes[0]
    number = int(np.flatnonzero(data.labels(SOURCE, "test") == label)[0])
    image = data.load(SOURCE, "test", count=number + 1).images[number]
    name = data.DATASETS[SOURCE].classes[label]
    view = looking.attention(checkpoint, image, name, f"{SOURCE}/test/{number}")
    values = {field.name: getattr(view, field.name) for field in fields(view)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    header = {name: value for name, value in values.items() if name not in arrays and value is not None}
    write(cards.folder() / NAME / _FILE, pack(header, arrays))


if __name__ == "__main__":
    renew()

"""The picture with which the page opens, which the model answers correctly, and its path, computed in advance.

`python -m attnviz.ui.mechanisms.recurrent_attention.first_look` computes both again for every model here whose pictures
need no download, after one has been trained. A test holds them equal to what the models compute. For other data sets
the picture is found when it is asked for.
"""

from dataclasses import fields
from typing import Any

import numpy as np

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.ui.components.glimpse_player import GlimpseView, Path
from attnviz.ui.components.payload import pack, unpack
from attnviz.ui.shared import cache, first_look
from attnviz.ui.shared.pickers import Picture


def opens(card: Card, source: str) -> Picture:
    """Return the first picture of a data set that a model answers correctly along its first draw.

    Args:
        card: of the model.
        source: a data set that is here. Torch is loaded only where no first look of it is stored.
    """
    values = _stored(card)
    if values is not None and values["source"] == source:
        return Picture(source, values["number"])
    from attnviz.ui.mechanisms.recurrent_attention import glances

    return Picture(source, cache.computed(glances.first_right, card, source))


def view(card: Card, chosen: Picture, draw: int | None) -> GlimpseView:
    """Return what the player shows of a picture; torch is loaded only where that is not stored.

    Args:
        card: of the model.
        chosen: the picture.
        draw: of which random numbers; None for the means.
    """
    values = _stored(card)
    if values is not None and (chosen.source, chosen.number, draw) == (values["source"], values["number"], 0):
        return _viewed(values)
    from attnviz.ui.mechanisms.recurrent_attention import glances

    return cache.computed(glances.view, card, chosen.source, chosen.number, draw)


def _stored(card: Card) -> dict[str, Any] | None:
    """Return the fields of the stored view and of its path."""
    found = first_look.stored(card.name)
    if found is None:
        return None
    header, arrays = unpack(found)
    return {**header, "classes": tuple(header["classes"]), **arrays}


def _packed(view: GlimpseView) -> bytes:
    values = {**vars(view), **vars(view.path)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    header = {name: value for name, value in values.items() if name not in (*arrays, "path") and value is not None}
    return pack(header, arrays)


def _viewed(values: dict[str, Any]) -> GlimpseView:
    path = Path(**{field.name: values[field.name] for field in fields(Path)})
    named = {field.name: values[field.name] for field in fields(GlimpseView) if field.name in values}
    return GlimpseView(**{"label": None, **named, "forced": (), "path": path})


def renew() -> None:
    """Compute the first looks again and write them beside the weights."""
    from attnviz.ui.mechanisms.recurrent_attention import glances
    from attnviz.ui.shared import inference

    for card in cards.usable([name for name in cards.names() if name.startswith("recurrent_attention.")]).values():
        spec = data.spec(card.recipe.data)
        always = [name for name in data.sources(spec.classes, spec.shape) if not data.spec(name).megabytes]
        if always:
            model = inference.exactly(card.name)
            view = glances.view(model, always[0], glances.first_right(model, always[0]), 0)
            first_look.keep(card.name, _packed(view))


if __name__ == "__main__":
    renew()

"""A head's mean row over the live channel: a derived value of every model with dot-product attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from attnviz.data import always
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.live.derived import Context, Derived
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.readings import Reading
    from attnviz.subjects import Loaded

ROWS = 256  # maximum number of mean rows in an answer, over all pictures: one for 784 inked tokens takes 3 ms
LEAST_UNIFORM = "least_uniform"
MOST_KEPT = 256


class OfHead(Strict):
    """A head of the layer at a path; "least_uniform" is the one farthest from even shares on a picture per class."""

    layer: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_.]{0,190})?$")]
    head: Annotated[int, Field(ge=0, lt=1 << 31)] | Literal["least_uniform"]


def taps_of(parameters: OfHead) -> tuple[str, str]:
    """Return the taps from which a mean row is computed, so that the layer need not materialise its weights."""
    return _tap(parameters.layer, "query"), _tap(parameters.layer, "key")


def settle(loaded: Loaded, parameters: OfHead) -> OfHead:
    """Return the parameters with the number of a head in place of "least_uniform"."""
    if parameters.head != LEAST_UNIFORM:
        return parameters
    key = loaded.net.key, loaded.net.digest, parameters.layer
    if key not in _LEAST_UNIFORM:
        if len(_LEAST_UNIFORM) >= MOST_KEPT:
            _LEAST_UNIFORM.clear()
        _LEAST_UNIFORM[key] = cache.of_net(least_uniform, loaded.net, parameters.layer)
    return parameters.model_copy(update={"head": _LEAST_UNIFORM[key]})


def mean_row(context: Context[OfHead]) -> Reading:
    """Return the mean row of one head over tokens with ink, (batch, key), as multiples of an even share."""
    from attnviz.layers.attention import Attention

    layer = context.parameters.layer
    if not isinstance(context.loaded.model.get_submodule(layer), Attention):
        raise BadInput(
            f"{layer or 'The model'} is not dot-product attention: it has no rows computed from query and key."
        )
    for edited in context.edited:
        if edited in (_tap(layer, "scores"), _tap(layer, "weights")):
            raise BadInput(f"A mean row is computed from query and key, so it cannot show the edit of {edited}.")
    return _mean_row(context.parameters, context.seen, context.images)


def _mean_row(parameters: OfHead, seen: Any, images: Tensor) -> Reading:
    import torch

    from attnviz.measures import attention
    from attnviz.readings import Reading

    head = int(parameters.head)
    readings = [seen[tap] for tap in taps_of(parameters)]
    query, key = (reading.at(head=head) for reading in readings)  # (batch, token, size)
    grid = readings[0].grid
    weights = _tap(parameters.layer, "weights")
    if grid is None:
        raise BadInput(f"{weights} does not record where its tokens are, so it is unknown which of them have ink.")
    inked = attention.inked(images, grid)
    means = [attention.mean_row(*each) for each in zip(query, key, inked, strict=True)]
    return Reading(weights, torch.stack(means), ("batch", "key"), grid)


_LEAST_UNIFORM: dict[tuple[str, str, str], int] = {}
"""Read at every movement of the pointer; a look into Streamlit's cache takes as long as a small model."""


def least_uniform(loaded: Loaded, layer: str) -> int:
    """Return the head whose mean row is farthest from even shares, in bits, on a picture of each class.

    The pictures show the model's own classes and are always available; for digits they are drawn ones.
    """
    import torch

    from attnviz.answers import as_batch
    from attnviz.measures.attention import bits_from_even
    from attnviz.tracing import trace

    net = loaded.net
    source = None if net.data is None else always.source(net.data)
    if source is None:
        raise BadInput(
            f"There are no built-in pictures of {net.data or net.key} to find the least uniform head with. Name a head."
        )
    images = np.stack([*map(net.fitted, always.one_of_each(source, net.labels))])
    batch = as_batch(images, double=True)
    names = _tap(layer, "query"), _tap(layer, "key")
    with torch.no_grad(), trace(loaded.model, names) as seen:
        loaded.model(batch)
    each = [OfHead(layer=layer, head=head) for head in range(seen[names[0]].size("head"))]
    bits = [bits_from_even(_mean_row(one, seen, batch).tensor).mean() for one in each]
    return int(torch.stack(bits).argmax())


def _tap(layer: str, name: str) -> str:
    return f"{layer}.{name}" if layer else name


MEAN_ROW = Derived("mean_row", OfHead, mean_row, taps_of, settle, most=ROWS)

OF_ATTENTION = {"derived": MEAN_ROW.name, "parameters": {"layer": "attention", "head": LEAST_UNIFORM}}
"""The request of a panel on the draw page, for a model whose attention layer has this name."""

"""What a part of the picture takes from, in one map: the mean of its tokens' rows of weights.

From the queries and keys alone, and of one head where only one is asked for: a layer that computes its weights in one
fused step goes on doing so.
"""

import math

import torch
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.measures.attention import scores
from attnviz.measures.token_boxes import ink
from attnviz.readings import Grid

_BLOCK = 512  # queries at a time


def inked(images: Tensor, grid: Grid) -> Tensor:
    """Return which tokens have ink (see `token_boxes.ink`); where a picture has none, all that lie on it.

    Args:
        images: (batch, channel, row, column)
        grid: where the tokens lie.

    Returns:
        bool (batch, token); False for leading tokens that lie nowhere.
    """
    found = ink(images, grid)
    found |= ~found.any(1, keepdim=True)
    return torch.nn.functional.pad(found, (grid.prefix, 0))


def mean_row(query: Tensor, key: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean over some queries of their weights, as multiples of an even share.

    Args:
        query: (..., query, size)
        key: (..., key, size)
        chosen: bool (query,), one at least.

    Returns:
        (..., key): 1 is an even share, 1 / keys of the attention; so the mean over the keys is 1.

    Raises:
        BadInput: no query is chosen.
    """
    places = chosen.nonzero()[:, 0]
    if not len(places):
        raise BadInput("A mean of rows needs at least one query.")
    total: Tensor = key.new_zeros(key.shape[:-1])
    for some in places.split(_BLOCK):
        total += scores(query[..., some, :], key).softmax(-1).sum(-2)
    found: Tensor = total * key.shape[-2] / len(places)
    return found


def bits_from_even(rows: Tensor) -> Tensor:
    """Return how far rows are from an even share: how many bits fewer than log2(keys) their entropy is.

    Args:
        rows: (..., key) as multiples of an even share.

    Returns:
        (...,): 0 where every key gets the same, log2(keys) where one gets all.
    """
    bits: Tensor = torch.special.xlogy(rows, rows).mean(-1) / math.log(2)
    return bits

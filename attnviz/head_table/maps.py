"""What the maps of a call say, picture by picture and head by head.

Source: as of `attnviz.measures.heads` for entropy and distance. The information between query and key is the mean, over
queries, of the Kullback-Leibler divergence of a query's row from the mean row (Cover and Thomas, "Elements of
Information Theory", 1991, section 2.3, with every query equally probable).
"""

import math

import torch
from torch import Tensor

from attnviz.grids import Grid
from attnviz.measures.heads import sampled
from attnviz.measures.matched_heads import pattern

Values = dict[str, Tensor]


def pixels(grid: Grid) -> Tensor:
    """Return how far places lie apart: float64 (query, key), in pixels of the picture."""
    places = torch.cartesian_prod(torch.arange(grid.rows), torch.arange(grid.columns)).double() * grid.stride
    return torch.hypot(*(places[:, None] - places).unbind(-1))


def of_maps(weights: Tensor, grid: Grid | None, inked: Tensor | None) -> tuple[Values, Tensor]:
    """Return what follows from the maps of each picture alone.

    Args:
        weights: float (picture, head, query, key), rows that sum to 1.
        grid: where queries and keys lie; None where that is not known.
        inked: bool (picture, place), where the object is; None where that is not known.

    Returns:
        By name (picture, head): entropy and query in bits; distance in pixels; object and prefix as shares. What cannot
        be said is not there. And the mean row, (picture, head, key), of which the shares are sums.
    """
    received = weights.mean(-2)
    entropy = -torch.special.xlogy(weights, weights).sum(-1).mean(-1) / math.log(2)
    of_mean = -torch.special.xlogy(received, received).sum(-1) / math.log(2)
    found = {"entropy": entropy, "query": of_mean - entropy}
    if grid is None:
        return found, received
    prefix = grid.prefix
    on_picture = weights[..., prefix:, prefix:] if prefix else weights
    away = (on_picture * pixels(grid).to(weights)).sum(-1)
    found["distance"] = (away / on_picture.sum(-1) if prefix else away).mean(-1)
    if prefix:
        found["prefix"] = received[..., :prefix].sum(-1)
    if inked is not None:
        found["object"] = (received[..., prefix:] * inked[:, None]).sum(-1)
    return found, received


def rows_of(weights: Tensor) -> Tensor:
    """Return the rows by which maps are compared with each other: those of `sampled` queries, one after the other.

    Args:
        weights: float (picture, head, query, key).

    Returns:
        (picture, head, row times key).
    """
    queries = weights.shape[-2]
    chosen = torch.from_numpy(sampled(queries)).to(weights.device)
    return (weights if len(chosen) == queries else weights[..., chosen, :]).flatten(2)


def correlation(one: Tensor, other: Tensor) -> Tensor:
    """Return the correlation of maps over their entries: (...,), -1..1; 0 where one of them is the same everywhere.

    Args:
        one, other: float (..., entry).
    """
    return (pattern(one) * pattern(other)).sum(-1)


def without_itself(total: Tensor, count: int, rows: Tensor, among: Tensor) -> Tensor:
    """Return the mean map of other pictures for each picture.

    Args:
        total: (head, entry), the sum over the pictures of the reference.
        count: how many these are.
        rows: (picture, head, entry), of the pictures.
        among: bool (picture,), which of them are part of the reference.

    Returns:
        (picture, head, entry); NaN where a picture is the only one of the reference.
    """
    own = among.to(total)[:, None, None]
    return (total - own * rows) / (count - own)

"""Attention from distinct tokens and their counts, with the same result as attention among all tokens.

Equal tokens have equal queries, keys and values. So their rows of the weights are equal, and the softmax over all keys
is a softmax over the distinct keys, each weighted by its count. A drawn digit without positions has about eighty
intensities but 784 pixels. `attnviz.layers.shortcuts` decides whether the shortcut may be taken.
"""

from typing import NamedTuple

import torch
from torch import Tensor

NEAR = 40.0  # exp(-NEAR) times a value that vanishes when added to 1 (exp(-36) in float64) is still a normal float32


class Repeats(NamedTuple):
    """The repeats among rows: for each distinct row, an index at which it occurs and its count, int (distinct,), and
    for each row, the number of its distinct row, int (row,).
    """

    first: Tensor
    times: Tensor
    which: Tensor


def distinct(rows: Tensor) -> Repeats:
    """Return the distinct rows of (row, number), in ascending order: the index and the count of each, and the distinct
    row of every row.
    """
    _, which, count = rows.unique(dim=0, return_inverse=True, return_counts=True)
    return Repeats(_places(which, len(count)), count, which)


def repeated(tokens: Tensor) -> Repeats | None:
    """Return the repeats among the tokens, float (batch, token, feature), of one picture, or None if few tokens repeat
    or there are several pictures.

    Comparing sums is far quicker than sorting the tokens, as `distinct` does: equal tokens have equal sums. If
    different tokens have equal sums too, which is checked, there is no shortcut.
    """
    if len(tokens) > 1:
        return None
    rows = tokens[0]
    sums, which, count = rows.sum(1).unique(return_inverse=True, return_counts=True)
    if 2 * len(sums) > len(rows):
        return None
    first = _places(which, len(sums))
    return Repeats(first, count, which) if torch.equal(rows[first][which], rows) else None


def mean_over_levels(scores: Tensor, tokens: Tensor, counts: Tensor) -> Tensor:
    """Return, for each of the tokens ("levels"), (level, feature), the mean of the tokens weighted by its attention,
    for many pictures at once: (batch, head, level, feature).

    One table of scores, (head, query, key) of the levels among themselves, serves the whole batch. One table of
    exponentials does too, unless scores are huge: then each range of levels that occurs needs its own. `counts`, float
    (batch, level), is the number of times that each level occurs in a picture, with at least one above 0 per row;
    scores are monotonic along the levels, see `Attention.over_levels`.
    """
    weighted = torch.cat([tokens, torch.ones_like(tokens[:, :1])], dim=-1)  # (level, feature + 1)
    level = torch.arange(len(tokens), device=tokens.device)
    occurs = counts > 0
    lowest, highest = occurs.int().argmax(1), len(tokens) - 1 - occurs.flip(1).int().argmax(1)
    # Scores are monotonic, so the largest score among a picture's levels is at one of their ends. The subtracted score
    # must be close to it: with the score of a level that does not occur, all terms could be 0.
    largest = torch.maximum(scores[..., lowest], scores[..., highest]).detach()  # (head, level, batch)
    apart = bool((largest.amax(-1, keepdim=True) - largest).amax() > NEAR)  # the only wait for the device
    if not apart:
        absent = (level < lowest.min()) | (level > highest.max())
        sums = _summed(scores, largest, absent, counts, weighted)
    else:
        ranges, group = torch.stack([lowest, highest], dim=1).unique(dim=0, return_inverse=True)
        members = [(group == index).nonzero()[:, 0] for index in range(len(ranges))]
        terms = [
            _summed(scores, largest[..., those], (level < low) | (level > high), counts[those], weighted)
            for those, (low, high) in zip(members, ranges, strict=True)
        ]
        sums = torch.cat(terms)[torch.cat(members).argsort()]
    return sums[..., :-1] / sums[..., -1:]


def _summed(scores: Tensor, largest: Tensor, absent: Tensor, counts: Tensor, weighted: Tensor) -> Tensor:
    """Return the sums over the levels of pictures from one table of exponentials: (batch, head, level, feature)."""
    table = scores - largest.amax(-1, keepdim=True)  # (head, query, key)
    table = table.masked_fill(absent, -torch.inf).exp()
    return torch.einsum("bkf,hqk->bhqf", counts[..., None] * weighted, table)


def level_counts(levels: Tensor, number: int) -> Tensor:
    """Return how often each of `number` levels occurs per picture, int64 (batch, token): int64 (batch, number)."""
    return levels.new_zeros(len(levels), number).scatter_add_(1, levels, torch.ones_like(levels))


def _places(which: Tensor, number: int) -> Tensor:
    """Return for each distinct row an index at which it occurs."""
    return which.new_empty(number).scatter_(0, which, torch.arange(len(which), device=which.device))

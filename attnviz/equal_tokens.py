"""Equal tokens attend once: the same numbers as attention among all tokens, from the distinct ones and their counts.

Equal tokens have equal queries, keys and values. So their rows of the weights are equal, and the softmax over all keys
is a softmax over the distinct keys, each weighted by how often it occurs. A drawn digit without positions has some
eighty intensities and 784 pixels. Whether a shortcut may be taken, `attnviz.layers.shortcuts` says.
"""

from typing import NamedTuple

import torch
from torch import Tensor

NEAR = 40.0  # exp(-40) times what rounds to nothing beside 1 (exp(-36) in float64) is still a normal float32


class Repeats(NamedTuple):
    """Where rows repeat: for each distinct row a place where it stands and how often it occurs, int (distinct,), and
    for each place the number of its distinct row, int (row,).
    """

    first: Tensor
    times: Tensor
    which: Tensor


def distinct(rows: Tensor) -> Repeats:
    """Return the distinct ones of rows (row, number), in ascending order: where each stands, how often it occurs, and
    which one stands at each place.
    """
    _, which, count = rows.unique(dim=0, return_inverse=True, return_counts=True)
    return Repeats(_places(which, len(count)), count, which)


def repeated(tokens: Tensor) -> Repeats | None:
    """Return where the tokens, float (batch, token, feature), of one picture repeat, or None if few of them do or there
    are several pictures.

    Comparing sums is far quicker than sorting the tokens, as `distinct` does: equal tokens have equal sums, and if
    tokens that differ have them too, which is looked at, there is no shortcut.
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
    """Return the weighted mean of the tokens ("levels"), (level, feature), that each of them attends to, for many
    pictures at once: (batch, head, level, feature).

    One table of scores, (head, query, key) of the levels among themselves, serves the whole batch. Only where scores
    are huge, one table of exponentials does not: then it takes one for each range of levels that occur. `counts`, float
    (batch, level), say how often each occurs in a picture, at least one above 0 a row; scores are steady along them,
    see `Attention.over_levels`.
    """
    weighted = torch.cat([tokens, torch.ones_like(tokens[:, :1])], dim=-1)  # (level, feature + 1)
    level = torch.arange(len(tokens), device=tokens.device)
    occurs = counts > 0
    lowest, highest = occurs.int().argmax(1), len(tokens) - 1 - occurs.flip(1).int().argmax(1)
    # The largest score among the levels that occur in a picture stands at one of their ends: scores are steady.
    # What is subtracted must be near it. With the score of a level that does not occur, all terms could be 0.
    largest = torch.maximum(scores[..., lowest], scores[..., highest]).detach()  # (head, level, batch)
    apart = bool((largest.amax(-1, keepdim=True) - largest).amax() > NEAR)  # all that the host waits for
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
    """Return the sums over the levels of some pictures, by one table of exponentials: (batch, head, level, feature)."""
    table = scores - largest.amax(-1, keepdim=True)  # (head, query, key)
    table = table.masked_fill(absent, -torch.inf).exp()
    return torch.einsum("bkf,hqk->bhqf", counts[..., None] * weighted, table)


def level_counts(levels: Tensor, number: int) -> Tensor:
    """Return how often each of so many levels, int64 (batch, token), occurs in a picture: int64 (batch, number)."""
    return levels.new_zeros(len(levels), number).scatter_add_(1, levels, torch.ones_like(levels))


def _places(which: Tensor, number: int) -> Tensor:
    """Return for each distinct row a place where it stands."""
    return which.new_empty(number).scatter_(0, which, torch.arange(len(which), device=which.device))

"""Compare two maps of attention: their signed difference, and one number for its size.

A map holds the attention at each position as a multiple of an even share. An even share is 1, and so is the mean if all
attention lies on the picture. Maps of different grids can therefore be compared.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.arrays import Floats
from attnviz.errors import BadInput

Direction = Literal["from", "to", "received"]

REACH = 4.0  # doublings of an even share: values are clipped to 1/16..16, as in the colours of the maps


def multiples(
    query: Floats, key: Floats, log_normaliser: Floats, *, direction: Direction, token: int | None, head: int | None
) -> Floats:
    """Return the attention of each token as a multiple of an even share: float64 (token,), 0 or more.

    Args:
        query, key: (head, token, size)
        log_normaliser: (head, token), log of the sum of exp(score) over all keys, for each query.
        direction: "from": the weights of the query `token`; "to": the weights that all queries give to the key `token`;
            "received": the mean weight that each key gets from all queries.
        token: the query or key; None for "received".
        head: index of the head; None for the mean over all heads.
    """
    chosen = slice(None) if head is None else slice(head, head + 1)
    query, key, normaliser = query[chosen], key[chosen], log_normaliser[chosen]
    scale = 1 / np.sqrt(query.shape[-1])
    if direction == "received":
        weights = np.zeros(key.shape[:2])
        for at in range(len(query)):  # one head at a time, since each can have 784 x 784 weights
            scores = query[at] @ key[at].T * scale
            weights[at] = np.exp(scores - normaliser[at][:, None]).mean(0)
    elif token is None:
        raise BadInput("The directions from and to need a token: say which.")
    elif direction == "from":
        scores = np.einsum("hf,hkf->hk", query[:, token], key) * scale
        weights = np.exp(scores - normaliser[:, token, None])
    else:
        scores = np.einsum("hqf,hf->hq", query, key[:, token]) * scale
        weights = np.exp(scores - normaliser)
    found: Floats = weights.mean(0) * query.shape[1]
    return found


def coarser(maps: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Reduce two maps (row, column) to the coarser of their two grids, by means over boxes of the finer one."""
    (rows, columns) = min((one.shape for one in maps), key=lambda shape: shape[0] * shape[1])
    if any(one.shape[0] % rows or one.shape[1] % columns for one in maps):
        raise BadInput(f"Grids of {maps[0].shape} and {maps[1].shape} tokens have no common boxes to compare.")
    first, second = (one.reshape(rows, one.shape[0] // rows, columns, -1).mean((1, 3)) for one in maps)
    return first, second


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of two maps of the same grid.

    Args:
        doublings: (row, column), log2 of right over left, in -8..8.
        distance: half of the mean absolute difference, in even shares. For maps with equal sums it is the total
            variation distance, from 0 (identical) to 1 (disjoint).
        correlation: Pearson's correlation of the multiples; None if a map is constant.
    """

    doublings: Floats
    distance: float
    correlation: float | None


def compared(left: Floats, right: Floats) -> Comparison:
    """Compare two maps (row, column) of multiples of an even share.

    Args:
        left, right: (row, column), 0 or more; 1 is an even share.

    Returns:
        The difference as a map and as numbers.
    """
    if left.shape != right.shape:
        raise BadInput(
            f"Only maps of the same grid can be compared, not of {left.shape} and {right.shape}; see `coarser`."
        )
    ends = 2.0**-REACH, 2.0**REACH
    first, second = (np.log2(np.clip(one, *ends)) for one in (left, right))
    even = any(np.ptp(one) <= 1e-9 * np.abs(one).max() for one in (left, right))
    return Comparison(
        second - first,
        float(np.abs(right - left).mean() / 2),
        None if even else float(np.corrcoef(left.ravel(), right.ravel())[0, 1]),
    )


def half(multiples: Floats) -> int:
    """Return the smallest number of positions that hold half of the sum of a map of multiples, which are 0 or more."""
    falling = np.sort(multiples, axis=None)[::-1].cumsum()
    return int(np.searchsorted(falling, falling[-1] / 2) + 1)

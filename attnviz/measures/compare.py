"""Compare two maps of attention: their signed difference, and one number for how much they differ.

A map holds, for each place, how many times an even share of the attention it has: 1 is an even share, and so is the
mean where all attention lies on the picture. So maps of different grids can be compared.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.arrays import Floats
from attnviz.errors import BadInput

Direction = Literal["from", "to", "received"]

REACH = 4.0  # doublings of an even share: what is beyond 1/16 or 16 counts as that, as the maps' colours show it


def multiples(
    query: Floats, key: Floats, log_normaliser: Floats, *, direction: Direction, token: int | None, head: int | None
) -> Floats:
    """Return how many times an even share each token has, (token,): float64 (token,), 0 or more; 1 is an even share.

    Args:
        query, key: (head, token, size)
        log_normaliser: (head, token) log of the sum of exp(score) over all keys, for each query.
        direction: "from": the weights of the query `token`; "to": the weights that all queries give to the key
            `token`; "received": the mean weight that each key gets from all queries.
        token: the one that is held; none for "received".
        head: which one; None for the mean of all.
    """
    chosen = slice(None) if head is None else slice(head, head + 1)
    query, key, normaliser = query[chosen], key[chosen], log_normaliser[chosen]
    scale = 1 / np.sqrt(query.shape[-1])
    if direction == "received":
        weights = np.zeros(key.shape[:2])
        for at in range(len(query)):  # one head of 784 x 784 at a time
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
    """Bring two maps (row, column) to the coarser of their two grids, by means over boxes of the finer one."""
    (rows, columns) = min((one.shape for one in maps), key=lambda shape: shape[0] * shape[1])
    if any(one.shape[0] % rows or one.shape[1] % columns for one in maps):
        raise BadInput(f"Grids of {maps[0].shape} and {maps[1].shape} tokens have no common boxes to compare.")
    first, second = (one.reshape(rows, one.shape[0] // rows, columns, -1).mean((1, 3)) for one in maps)
    return first, second


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two maps of the same grid.

    Args:
        doublings: (row, column) by how many doublings of an even share the right one is above the left one; -8..8.
        distance: half of the mean difference without its sign, in even shares. Of maps that sum to the same it is the
            total variation distance, 0 (the same) to 1 (nothing in common).
        correlation: Pearson's, of the multiples; None where a map is the same everywhere.
    """

    doublings: Floats
    distance: float
    correlation: float | None


def compared(left: Floats, right: Floats) -> Comparison:
    """Compare two maps (row, column) of multiples of an even share.

    Args:
        left, right: (row, column), 0 or more; 1 is an even share.

    Returns:
        Their difference as a map and as numbers.
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
    """Return the smallest number of places that hold half of the sum of a map of multiples, which are 0 or more."""
    falling = np.sort(multiples, axis=None)[::-1].cumsum()
    return int(np.searchsorted(falling, falling[-1] / 2) + 1)

"""Same intensity, same row: how much the attention of one token differs from that of every other.

A row of the weights depends on its query alone, given all keys; and without positions a query is w x + b, a line of the
token's intensity x. So tokens of one intensity have one row. With a position code a query also depends on the place.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.attention import scores

ROUNDING = 1e-9  # of the largest weight of two rows: nearer rows differ by the order of additions only
_BLOCK = 128  # queries at a time: no head's weights are ever held in full


def differences(query: Tensor, key: Tensor, token: int) -> Floats:
    """Return by how much, at most over heads and keys, each token's row of weights differs from that of one token:
    (token,), 0..1; 0 for the token itself. Query and key are (head, token, size).
    """
    if not 0 <= token < query.shape[1]:
        raise BadInput(f"There is no token {token}: there are {query.shape[1]}, counted from 0.")
    found = query.new_zeros(query.shape[1])
    for head in range(len(query)):
        row = scores(query[head, [token]], key[head]).softmax(-1)
        for start, weights in _blocks(query[head], key[head]):
            block = found[start : start + len(weights)]
            torch.maximum(block, weights.sub_(row).abs_().amax(1), out=block)
    found[token] = 0.0  # alone or among others, a row is added up in another order
    return found.double().numpy()


def distinct_rows(query: Tensor, key: Tensor) -> int:
    """Return how many different rows there are: a row is what all heads' weights of one token are, together.

    Args:
        query, key: (head, token, size)

    Returns:
        A count, 1 to the number of tokens.
    """
    # Equal queries have equal rows: one of each is enough.
    query = query.transpose(0, 1).unique(dim=0).transpose(0, 1)  # (head, token, size)
    heads, tokens, _ = query.shape
    # A number for each row that differs where rows differ, to find those that may be equal: they stand side by side.
    generator = torch.Generator().manual_seed(0)
    marks = query.new_zeros(tokens)
    for head in range(heads):
        direction = torch.randn(key.shape[1], generator=generator, dtype=query.dtype)
        for start, weights in _blocks(query[head], key[head]):
            marks[start : start + len(weights)] += weights @ direction
    order = marks.argsort()
    apart = torch.zeros(tokens - 1, dtype=torch.bool)
    for head in range(heads):
        ordered = query[head, order]
        last = None
        for start, weights in _blocks(ordered, key[head]):
            rows = weights if last is None else torch.cat([last, weights])
            off, largest = rows.diff(dim=0).abs().amax(1), torch.maximum(rows[1:].amax(1), rows[:-1].amax(1))
            first = start if last is None else start - 1
            apart[first : first + len(off)] |= off > ROUNDING * largest
            last = rows[-1:]
    return 1 + int(apart.sum())


def intensity_groups(intensities: Floats) -> npt.NDArray[np.int64]:
    """Return the number of each token's group of equal intensity, int64 (token,), ascending with it. Those that differ
    by less than a millionth count as equal, as a mean of the same pixels depends on their order.
    """
    ordered = np.argsort(intensities, kind="stable")
    groups = np.empty(len(intensities), np.int64)
    groups[ordered] = np.concatenate([[0], (np.diff(intensities[ordered]) > 1e-6).cumsum()])
    return groups


def _blocks(query: Tensor, key: Tensor) -> Iterator[tuple[int, Tensor]]:
    """Yield the weights of one head, some queries at a time: the first query, and (query, key)."""
    for start in range(0, len(query), _BLOCK):
        yield start, scores(query[start : start + _BLOCK], key).softmax(-1)

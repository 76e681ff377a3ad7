"""Whether equal intensities have equal rows: how much one token's attention differs from that of every other token.

Given all keys, a row of the weights depends on its query alone. Without positions a query is w x + b, a linear function
of the token's intensity x, so tokens of equal intensity have equal rows. With a position code, positions matter too.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.attention import scores

ROUNDING = 1e-9  # fraction of the largest weight in two rows: smaller differences come from the order of additions
_BLOCK = 128  # queries at a time: the full weights of a head are never stored


def differences(query: Tensor, key: Tensor, token: int) -> Floats:
    """Return the maximum difference, over heads and keys, between each token's row of weights and that of one token:
    (token,), 0..1, and 0 for the token itself. Query and key are (head, token, size).
    """
    if not 0 <= token < query.shape[1]:
        raise BadInput(f"There is no token {token}: there are {query.shape[1]}, counted from 0.")
    found = query.new_zeros(query.shape[1])
    for head in range(len(query)):
        row = scores(query[head, [token]], key[head]).softmax(-1)
        for start, weights in _blocks(query[head], key[head]):
            block = found[start : start + len(weights)]
            torch.maximum(block, weights.sub_(row).abs_().amax(1), out=block)
    found[token] = 0.0  # a row's sum may be rounded differently in another block
    return found.double().numpy()


def distinct_rows(query: Tensor, key: Tensor) -> int:
    """Return the number of distinct rows, where a row holds the weights of one token in all heads.

    Args:
        query, key: (head, token, size)

    Returns:
        A number from 1 to the number of tokens.
    """
    # Equal queries have equal rows, so one of each is enough.
    query = query.transpose(0, 1).unique(dim=0).transpose(0, 1)  # (head, token, size)
    heads, tokens, _ = query.shape
    # A number per row that differs if rows differ, so that sorting by it makes rows that may be equal neighbours.
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
    """Return the index of each token's group of equal intensity, int64 (token,), ascending with the intensity.
    Differences below a millionth are ignored, because the mean of the same pixels depends on their order.
    """
    ordered = np.argsort(intensities, kind="stable")
    groups = np.empty(len(intensities), np.int64)
    groups[ordered] = np.concatenate([[0], (np.diff(intensities[ordered]) > 1e-6).cumsum()])
    return groups


def _blocks(query: Tensor, key: Tensor) -> Iterator[tuple[int, Tensor]]:
    """Yield the weights of one head for some queries at a time: the first query, and (query, key)."""
    for start in range(0, len(query), _BLOCK):
        yield start, scores(query[start : start + _BLOCK], key).softmax(-1)

"""What follows from the queries, keys and values of one picture, without ever holding all weights at once."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attnviz.equal_tokens import distinct

Array = npt.NDArray[np.float64]

_BLOCK = 512  # queries at a time: 64 x 64 tokens then take 17 MB a head, not 134


def scores(query: Tensor, key: Tensor) -> Tensor:
    """Return query times key, divided by the square root of the head size.

    Args:
        query: float (..., query, size).
        key: float (..., key, size).

    Returns:
        float (..., query, key).
    """
    found: Tensor = query @ key.mT * query.shape[-1] ** -0.5
    return found


def normalisers(query: Tensor, key: Tensor) -> tuple[Array, Array]:
    """Return what turns scores into weights, and how much each token receives.

    Args:
        query, key: (head, token, size)

    Returns:
        (head, query): the logarithm of the sum of exp(score) over all keys, so that weight = exp(score - it).
        (head, key): the mean weight over all queries; an even share is 1 / tokens.
    """
    first, counts, which = distinct(torch.cat([query, key], dim=-1).transpose(0, 1).flatten(1))  # of (token, number)
    query, key, counts = query[:, first], key[:, first], counts.to(query.dtype)
    logarithms = query.new_empty(query.shape[:2])
    received = query.new_zeros(key.shape[:2])
    for head in range(len(query)):
        for start in range(0, query.shape[1], _BLOCK):
            found = scores(query[head, start : start + _BLOCK], key[head])  # (query, key)
            normaliser = (found + counts.log()).logsumexp(1)
            logarithms[head, start : start + _BLOCK] = normaliser
            received[head] += counts[start : start + _BLOCK] @ (found - normaliser[:, None]).exp_()
    received /= len(which)
    return logarithms[:, which].double().numpy(), received[:, which].double().numpy()


def carried(value: Tensor, projection: Tensor) -> tuple[Array, bool]:
    """Return what each token adds to the output of a query that gives it the weight 1.

    Args:
        value: (head, token, size)
        projection: (output feature, head * size), the weight of the layer's output projection.

    Returns:
        (head, token): the number itself where the output is one number, else the length of what is added.
        Whether it has a sign.

    Source: the norm is that of "Attention is Not Only a Weight", Kobayashi et al., 2020, https://arxiv.org/abs/2004.10102
    """
    parts = projection.unflatten(1, (len(value), -1))  # (output feature, head, size)
    added = torch.einsum("hts,ohs->hto", value, parts)  # (head, token, output feature)
    signed = added.shape[-1] == 1
    return (added[..., 0] if signed else added.norm(dim=-1)).double().numpy(), signed

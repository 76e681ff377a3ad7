"""Quantities computed from the queries, keys and values of one picture without storing all weights at once."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnviz.answers import answer_factors
from attnviz.arrays import Floats
from attnviz.equal_tokens import distinct
from attnviz.errors import BadInput
from attnviz.measures.token_boxes import ink
from attnviz.readings import Grid

_BLOCK = 512  # queries at a time: 64 x 64 tokens then take 17 MB per head instead of 134


def scores(query: Tensor, key: Tensor) -> Tensor:
    """Return query (..., query, size) times key (..., key, size) divided by the root of the head size: (..., query,
    key).
    """
    found: Tensor = query @ key.mT * query.shape[-1] ** -0.5
    return found


def normalisers(query: Tensor, key: Tensor) -> tuple[Floats, Floats]:
    """Return the terms that turn scores into weights, and the mean weight that each token receives.

    Args:
        query, key: (head, token, size)

    Returns:
        (head, query): the logarithm of the sum of exp(score) over all keys, so that weight = exp(score - logarithm).
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


def carried(value: Tensor, projection: Tensor) -> tuple[Floats, bool]:
    """Return the contribution of each token to the output of a query that gives it the weight 1.

    Args:
        value: (head, token, size)
        projection: (output feature, head * size), the weight of the layer's output projection.

    Returns:
        (head, token): the contribution itself if the output is one number, otherwise its norm.
        Whether the contribution has a sign.

    Source: the norm is that of "Attention is Not Only a Weight", Kobayashi et al., 2020, https://arxiv.org/abs/2004.10102
    """
    parts = projection.unflatten(1, (len(value), -1))  # (output feature, head, size)
    added = torch.einsum("hts,ohs->hto", value, parts)  # (head, token, output feature)
    signed = added.shape[-1] == 1
    return (added[..., 0] if signed else added.norm(dim=-1)).double().numpy(), signed


def inked(images: Tensor, grid: Grid) -> Tensor:
    """Return which tokens contain ink (see `token_boxes.ink`): bool (batch, token), for images (batch, channel, row,
    column). It is False for leading tokens without a position. In a picture without ink, all tokens on it are True.
    """
    found = ink(images, grid)
    found |= ~found.any(1, keepdim=True)
    return torch.nn.functional.pad(found, (grid.prefix, 0))


def mean_row(query: Tensor, key: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean of the weights of some queries, as multiples of an even share.

    Only queries and keys are needed, so a layer that computes its weights in one fused step can continue to do so.

    Args:
        query: (..., query, size)
        key: (..., key, size)
        chosen: bool (query,), at least one of them True.

    Returns:
        (..., key): 1 is an even share, 1 / keys of the attention, so the mean over the keys is 1.
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
    """Return how many bits the entropy of rows (..., key), multiples of an even share, is below log2(keys): (...,). It
    is 0 if all keys get the same, and log2(keys) if one key gets everything.
    """
    bits: Tensor = torch.special.xlogy(rows, rows).mean(-1) / math.log(2)
    return bits


@dataclass(frozen=True, eq=False)
class Readout:
    """How the answer depends on an attention layer's output, if that dependence is linear.

    In that case, logit = rest + the sum over heads, queries and keys of weight x worth (what a value adds for a query):

        worth(head, query, key) = readout[query] . (projection[:, head] @ value[head, key])

    The sum is exact. The weights depend on the picture too, so a term is the contribution of this pair, not the change
    of the answer without it.

    Args:
        projection: (feature, head, size), from each head's mixed values to the features of the layer's output.
        readout: (token, feature), from the layer's output to the logit.
        of_heads: (head,), the contribution of each head to the logit, over all queries and keys.
        logit: logit of the answer, see `answer_factors`. Whatever the heads do not contribute comes from biases.
    """

    projection: Tensor
    readout: Tensor
    of_heads: Tensor
    logit: float


def linear_readout(
    mixed: Tensor, projection: nn.Linear, output: Tensor, logits: Tensor, parts: Iterable[nn.Module]
) -> Readout | None:
    """Return the readout of an attention layer, or None if the logits are not one linear layer of its output.

    Args:
        mixed: (head, token, size), each head's weighted means of its values.
        projection: the attention layer's projection from all heads' mixed values to its output.
        output: (token, feature), the output of the attention layer.
        logits: (logit,), the logits of the model.
        parts: modules of the model, one of which may be a linear layer from the flattened output to the logits.
    """
    heads, _, size = mixed.shape
    flat = output.flatten()
    for part in parts:
        if not isinstance(part, nn.Linear) or (part.in_features, part.out_features) != (len(flat), len(logits)):
            continue
        if not torch.allclose(part(flat), logits, rtol=1e-9, atol=1e-9):
            continue
        sides = answer_factors(logits)
        readout = (sides @ part.weight).unflatten(0, output.shape)  # (token, feature)
        project = projection.weight.unflatten(1, (heads, size))  # (feature, head, size)
        of_heads = torch.einsum("hts,fhs,tf->h", mixed, project, readout)
        return Readout(project, readout, of_heads, float(sides @ logits))
    return None

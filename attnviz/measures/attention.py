"""What follows from the queries, keys and values of one picture, without ever holding all weights at once."""

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

_BLOCK = 512  # queries at a time: 64 x 64 tokens then take 17 MB a head, not 134


def scores(query: Tensor, key: Tensor) -> Tensor:
    """Return query (..., query, size) times key (..., key, size), divided by the root of the head size: (..., query,
    key).
    """
    found: Tensor = query @ key.mT * query.shape[-1] ** -0.5
    return found


def normalisers(query: Tensor, key: Tensor) -> tuple[Floats, Floats]:
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


def carried(value: Tensor, projection: Tensor) -> tuple[Floats, bool]:
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


def inked(images: Tensor, grid: Grid) -> Tensor:
    """Return which tokens have ink (see `token_boxes.ink`): bool (batch, token), False for leading tokens that lie
    nowhere; where a picture has no ink, all that lie on it. Images are (batch, channel, row, column).
    """
    found = ink(images, grid)
    found |= ~found.any(1, keepdim=True)
    return torch.nn.functional.pad(found, (grid.prefix, 0))


def mean_row(query: Tensor, key: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean over some queries of their weights, as multiples of an even share.

    It is computed from queries and keys alone: a layer that computes its weights in one fused step goes on doing so.

    Args:
        query: (..., query, size)
        key: (..., key, size)
        chosen: bool (query,), one at least.

    Returns:
        (..., key): 1 is an even share, 1 / keys of the attention; so the mean over the keys is 1.
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
    """Return by how many bits the entropy of rows (..., key), multiples of an even share, is below log2(keys): (...,),
    0 where every key gets the same, log2(keys) where one gets all.
    """
    bits: Tensor = torch.special.xlogy(rows, rows).mean(-1) / math.log(2)
    return bits


@dataclass(frozen=True, eq=False)
class Readout:
    """How the answer is read out of an attention layer's output, where it is linear in that.

    There, logit = rest + the sum over heads, queries and keys of weight x (what the key's value adds for that query):

        worth(head, query, key) = readout[query] . (projection[:, head] @ value[head, key])

    The sum is exact. The weights depend on the picture too, so a term says what this pair adds, not what the answer
    would be without it.

    Args:
        projection: (feature, head, size), from the mixed values of each head to a feature of the layer's output.
        readout: (token, feature), from the layer's output to the logit.
        of_heads: (head,) what each head adds to the logit, over all queries and keys.
        logit: toward the answer, see `answer_factors`. What the heads do not add comes from biases.
    """

    projection: Tensor
    readout: Tensor
    of_heads: Tensor
    logit: float


def linear_readout(
    mixed: Tensor, projection: nn.Linear, output: Tensor, logits: Tensor, parts: Iterable[nn.Module]
) -> Readout | None:
    """Return how the answer is read out of an attention layer, or None if it is not read out by one linear layer.

    Args:
        mixed: (head, token, size), each head's weighted means of its values.
        projection: of the attention layer, from all heads' mixed values to its output.
        output: (token, feature) of the attention layer.
        logits: (logit,) of the model.
        parts: of the model; one of them may be a linear layer that turns the flattened output into the logits.
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

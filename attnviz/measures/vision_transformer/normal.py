"""Whether a map of attention is as expected: which part of it is the same for all queries, and for all pictures.

Source: tokens that attract attention from everywhere: "Efficient Streaming Language Models with Attention Sinks", Xiao
et al., 2023, https://arxiv.org/abs/2309.17453; tokens of large norm: "Vision Transformers Need Registers", Darcet et
al., 2023, https://arxiv.org/abs/2309.16588.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

LARGE = 3.0
"""A token is an outlier if its norm exceeds this multiple of the median."""


@dataclass(frozen=True)
class Found:
    """Sinks and outliers of one layer for one picture.

    Args:
        sink: the largest mean weight that a token receives over all queries, as a multiple of an even share; mean over
            heads.
        token: index of that token, for the mean over heads.
        same: the share of the deviation from an even share that is the same for all queries, 0..1; mean over heads.
        norm: the largest norm of a token after the layer, as a multiple of the median.
        outliers: number of tokens with more than `LARGE` times the median.
    """

    sink: float
    token: int
    same: float
    norm: float
    outliers: int


def found_in(weights: Tensor, tokens: Tensor) -> Found:
    """Return the sinks and outliers of a layer.

    Args:
        weights: float (head, query, key); each row sums to one.
        tokens: float (token, feature), after the layer.
    """
    received = weights.mean(1)  # (head, key)
    norms = tokens.norm(dim=-1)
    relative = norms / norms.median()
    return Found(
        sink=float(received.max(-1).values.mean() * weights.shape[-1]),
        token=int(received.mean(0).argmax()),
        same=float(by_constant(weights, 1).mean()),
        norm=float(relative.max()),
        outliers=int((relative > LARGE).sum()),
    )


def by_constant(weights: Tensor, over: int) -> Tensor:
    """Return the share of the squared distance from an even share that the mean over an axis accounts for.

    Over queries it is 1 if every query has the same map, and about 0 if all maps differ. Over pictures it is 1 if a
    head depends on positions alone.

    Args:
        weights: float (..., query, key): (head, query, key) or (picture, head, query, key).
        over: index of the axis; the result has the other axes before query and key.

    Returns:
        float (head,), 0..1; 0 if all weights are even.
    """
    away = weights - 1 / weights.shape[-1]
    common = away.mean(over, keepdim=True).expand_as(away)
    heads = weights.ndim - 3
    rest = [axis for axis in range(weights.ndim) if axis != heads]
    whole, part = away.square().sum(rest), common.square().sum(rest)
    return torch.where(whole > 0, part / whole.clamp(min=torch.finfo(whole.dtype).tiny), torch.zeros_like(whole))


def together(found: list[Found]) -> dict[str, float]:
    """Return the largest sink and norm, the mean of `same` and the maximum number of outliers over layers."""
    return {
        "sink": max(one.sink for one in found),
        "same": float(np.mean([one.same for one in found])),
        "norm": max(one.norm for one in found),
        "outliers": max(one.outliers for one in found),
    }

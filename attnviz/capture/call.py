"""One captured call: its metadata, the values kept from it, and its weights, which are computed on demand."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from math import prod
from typing import Any

import torch
from torch import Tensor

from attnviz.capture.frames import Where
from attnviz.capture.layout import Layout

ROWS = 8  # number of queries on which a call that nobody keeps is checked


@dataclass
class Attend:
    """The arguments of a scaled dot-product attention, with all leading axes explicit.

    Args:
        query, key, value: (..., token, feature).
        mask: added to the scores, (..., query, key), with -inf for a hidden key; None if there is no mask.
        scale: the factor of the products.
        causal: whether key j is hidden from query i < j.
        dropout: the share of weights that the call sets to 0.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    scale: float
    causal: bool
    dropout: float

    def scores(self, rows: Tensor | None = None, dtype: torch.dtype | None = None) -> Tensor:
        """Return the input of the softmax, (..., query, key), restricted to the queries in `rows` if given."""
        query, key = self.query.to(dtype), self.key.to(dtype)
        mask = self.mask
        if rows is not None:
            query = query.index_select(-2, rows)
            if mask is not None and mask.shape[-2] > 1:
                mask = mask.index_select(-2, rows)
        scores = (query @ key.mT) * self.scale
        if mask is not None:
            scores = scores + mask
        if self.causal:
            own = torch.arange(self.query.shape[-2], device=scores.device) if rows is None else rows
            later = torch.arange(scores.shape[-1], device=scores.device) > own[:, None]
            scores = scores.masked_fill(later, -torch.inf)
        return scores

    def weights(self, rows: Tensor | None = None, dtype: torch.dtype | None = None) -> Tensor:
        """Return the weights, (..., query, key); a query whose keys are all hidden has weights of 0."""
        return softmax(self.scores(rows, dtype))

    def even(self) -> Tensor:
        """Return the mean of the values that each query may attend to, (..., query or 1, feature)."""
        if self.mask is None and not self.causal:
            return self.value.mean(-2, keepdim=True)
        hidden = self.scores() < torch.finfo(self.query.dtype).min / 2
        return softmax(torch.zeros_like(hidden, dtype=self.value.dtype).masked_fill(hidden, -torch.inf)) @ self.value


def softmax(scores: Tensor) -> Tensor:
    """Return the softmax over the keys; rows of only -inf become 0, as in torch's attention."""
    return scores.softmax(-1).nan_to_num(0.0)


def bound(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    **_: Any,
) -> Attend:
    """Return the arguments of torch's function, with shared keys repeated per head and a boolean mask as numbers."""
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    lead = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    query, key, value = (one.expand(*lead, *one.shape[-2:]) for one in (query, key, value))
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        hidden = torch.zeros((), dtype=query.dtype, device=query.device).expand(attn_mask.shape)
        attn_mask = hidden.masked_fill(~attn_mask, -torch.inf)
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*lead, *torch.broadcast_shapes(attn_mask.shape[-2:], (1, key.shape[-2])))
    return Attend(
        query, key, value, attn_mask, query.shape[-1] ** -0.5 if scale is None else scale, is_causal, dropout_p
    )


def rows_of(queries: int, device: torch.device) -> Tensor:
    """Return the indices of the queries on which a call is checked, from the first to the last."""
    return torch.linspace(0, queries - 1, min(queries, ROWS), device=device).round().long()


def apart(found: Tensor, expected: Tensor) -> Tensor:
    """Return the largest difference of two tensors, relative to the largest value of the second."""
    wide = torch.promote_types(expected.dtype, torch.float32)
    found, expected = found.to(wide), expected.to(wide)
    return (found - expected).abs().max() / expected.abs().max().clamp_min(torch.finfo(wide).tiny)


def is_reversed(query: Tensor, key: Tensor, scores: Tensor) -> bool:
    """Return whether a few rows of square scores follow key times query more closely than query times key.

    Rows are compared by their correlation, since a scale or a bias may have been applied; masked scores are left out.
    """
    with aside(scores):
        wide = torch.promote_types(scores.dtype, torch.float32)
        rows = rows_of(scores.shape[-2], scores.device)
        given = scores.index_select(-2, rows).to(wide)
        seen = given > -1e4

        def centred(values: Tensor) -> Tensor:
            values = torch.where(seen, values, 0)
            return torch.where(seen, values - values.sum(-1, keepdim=True) / seen.sum(-1, keepdim=True).clamp_min(1), 0)

        def likeness(left: Tensor, right: Tensor) -> Tensor:
            product, own = centred(left.index_select(-2, rows).to(wide) @ right.to(wide).mT), centred(given)
            return torch.cosine_similarity(product.flatten(), own.flatten(), 0)

        return bool(likeness(key, query) > likeness(query, key) + 1e-3)


def tolerance(dtype: torch.dtype) -> float:
    """Return the relative tolerance between weights times values and the result of the call."""
    return max(1e-4, 2 * torch.finfo(dtype).eps)


@contextmanager
def aside(tensor: Tensor) -> Iterator[None]:
    """Compute something outside the model: in full precision, without a graph, and hidden from other traces."""
    device = tensor.device.type
    full = torch.autocast(device, enabled=False) if torch.amp.is_autocast_available(device) else nullcontext()
    with torch.no_grad(), full, torch._C.DisableTorchFunction():
        yield


TAPS = ("query", "key", "value", "scores", "weights", "mixed")
"""The taps of a captured attention, in the order in which they are computed."""


@dataclass
class Call:
    """An attention call of a model that attnviz does not know.

    Args:
        where: the module that made the call, and the number of the call.
        function: the torch function through which the attention was seen.
        refused: why the call cannot be shown; "" if it can.
        layout: the meaning of its leading axes.
        queries, keys, features: the numbers of queries, of keys, and of features of a query.
        far: the relative difference between weights times values and the result of the call.
        scale: the factor of the products of queries and keys; None if the model computed the scores itself.
        causal: whether later keys are hidden.
        kept: the values kept, by tap, and "mask"; (batch, window, head, ...), the window only if there are several.
        before: the values before an edit, by tap.
    """

    where: Where
    function: str
    refused: str = ""
    layout: Layout = field(default_factory=lambda: Layout((), ()))
    queries: int = 0
    keys: int = 0
    features: int = 0
    far: Tensor | None = None
    dtype: torch.dtype = torch.float32
    scale: float | None = None
    causal: bool = False
    masked: bool = False
    kept: dict[str, Tensor] = field(default_factory=dict)
    before: dict[str, Tensor] = field(default_factory=dict)

    def axes(self, tap: str) -> tuple[str, ...]:
        """Return the axes of a tap."""
        lead = self.layout.words
        return (*lead, "query", "key") if tap in ("scores", "weights") else (*lead, "token", "feature")

    def scores(self) -> Tensor:
        """Return the input of the softmax: the model's own, or computed from query and key in float64."""
        return self.kept["scores"] if "scores" in self.kept else self._again().scores(dtype=torch.float64)

    def weights(self) -> Tensor:
        """Return the weights: the model's own, or computed from query, key and mask in float64."""
        return self.kept["weights"] if "weights" in self.kept else softmax(self.scores())

    def log_normaliser(self) -> Tensor:
        """Return the logarithm of the denominator of each query's softmax, (batch, window, head, query), in float64."""
        return self.scores().double().logsumexp(-1)

    def shape(self, tap: str) -> tuple[int, ...]:
        """Return the shape of a tap."""
        lead = tuple(self.layout.size(word) for word in self.layout.words)
        tokens = {"key": self.keys, "value": self.keys}.get(tap, self.queries)
        return (*lead, tokens, self.keys if tap in ("scores", "weights") else self.features)

    def _again(self) -> Attend:
        query, key = self.kept["query"], self.kept["key"]
        assert self.scale is not None
        return Attend(query, key, key, self.kept.get("mask"), self.scale, self.causal, 0.0)


def narrow(tensor: Tensor) -> Tensor:
    """Return a copy of a tensor in which axes that only repeat have length 1."""
    for axis in range(tensor.ndim):
        if tensor.stride(axis) == 0:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor.clone()


def runs_over_channels(call: Call) -> bool:
    """Return whether a call compares queries with keys by a sum over the tokens of the module's input."""
    if call.queries != call.keys or call.layout.size("window") > 1:
        return False
    for given in call.where.given:
        if given.ndim == 4 and given.shape[1] == call.layout.size("head") and given.shape[2] == call.queries:
            continue  # the query, already split into heads
        tokens = [prod(given.shape[1:-1])] if given.ndim > 2 else []
        if given.ndim > 3:
            tokens.append(prod(given.shape[2:]))
        if call.queries not in tokens and call.features in tokens:
            return True
    return False

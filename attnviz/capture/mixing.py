"""The product of weights and values in attention that a model writes out, in either order of the operands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from attnviz.capture import refusals
from attnviz.capture.call import Attend, Call, aside, rows_of
from attnviz.capture.lineage import Follows
from attnviz.capture.mode import Softmax
from attnviz.capture.products import Product


@dataclass(frozen=True)
class Mixing:
    """Weights times values.

    Args:
        product: the product as the model computes it.
        lead: the leading axes of the weights, as the softmax returned them.
        weights: (*lead, query, key).
        value: (*lead, key, feature).
        outer, queries, keys, features: the letters of these axes in the product.
    """

    product: Product
    lead: tuple[int, ...]
    weights: Tensor
    value: Tensor
    outer: Sequence[str]
    queries: Sequence[str]
    keys: Sequence[str]
    features: Sequence[str]

    def shown(self, tensor: Tensor, letters: str, tokens: Sequence[str]) -> Tensor:
        """Return an operand, or the result, as (*lead, token, feature)."""
        found = self.product.arranged(tensor, letters, tokens, self.features, lead=self.outer)
        return found.reshape(*self.lead, *found.shape[-2:])

    def back(self, tensor: Tensor, letters: str, tokens: Sequence[str]) -> Tensor | None:
        """Undo `shown`; return None if `shown` had repeated an array."""
        return self.product.put_back(tensor, letters, tokens, self.features, lead=self.outer)


def mixing_of(found: Softmax, product: Product, place: int) -> Mixing | str:
    """Return a product with an operand that descends from a softmax as weights and values, or why it is not one."""
    mine, theirs = product.letters[place], product.letters[1 - place]
    keys = [letter for letter in mine if letter in theirs and letter not in product.result]
    outer = [letter for letter in mine if letter not in keys]
    *lead, count, width = found.weights.shape
    size, queries = 1, list[str]()
    while outer and size < count:
        queries.insert(0, outer.pop())
        size *= product.size(queries[0])
    if any(letter in theirs for letter in queries):
        return refusals.SHAPE
    weights = product.arranged(product.operands[place], mine, queries, keys, lead=outer)
    if (
        size == count
        and weights.shape[-1] < width
        and weights.numel() * width == found.weights.numel() * weights.shape[-1]
    ):
        return refusals.SINK
    if size != count or weights.shape[-1] != width:
        return refusals.QUERIES if weights.shape[-1] == count else refusals.SHAPE
    if weights.numel() != found.weights.numel():
        return refusals.CHANGED
    weights = weights.reshape(found.weights.shape)
    with aside(weights):
        rows = rows_of(count, weights.device)
        own = found.sample.to(weights.dtype)
        if not torch.equal(weights.index_select(-2, rows), own):
            turned = count == width and torch.equal(weights.mT.index_select(-2, rows), own)
            return refusals.QUERIES if turned else refusals.CHANGED
    features = [letter for letter in theirs if letter not in mine]
    value = product.arranged(product.operands[1 - place], theirs, keys, features, lead=outer)
    value = value.reshape(*lead, *value.shape[-2:])
    return Mixing(product, tuple(lead), weights, value, outer, queries, keys, features)


class Mixed:
    """The followed result of weights times values."""

    follows: ClassVar[Follows] = "sums"

    def __init__(self, call: Call) -> None:
        self.call = call
        self.joined = [call]


def combine(first: Any, second: Any) -> None:
    """Refuse two attentions of one layer whose outputs are combined."""
    if isinstance(first, Mixed) and isinstance(second, Mixed):
        layer = first.call.where.visited
        if layer == second.call.where.visited:
            for call in (*first.joined, *second.joined):
                if call.where.visited == layer:
                    call.refused = call.refused or refusals.COMBINED


def composed(call: Call, other: Any) -> bool:
    """Refuse weights that are multiplied with weights of the same visit, or with values already mixed by either of
    them; return whether they were refused.
    """
    before = other.call if isinstance(other, Softmax | Mixed) else None
    if before is None or (before.where.path, before.where.visit) != (call.where.path, call.where.visit):
        return False
    if isinstance(other, Mixed) and before is not call and call.refused != refusals.COMPOSED:
        return False  # the output of earlier attention is a value like any other
    call.refused = before.refused = refusals.COMPOSED
    return True


def even_of(found: Softmax, value: Tensor) -> Attend:
    """Return the `Attend` for an even share over the keys; keys whose score a mask has lowered are hidden."""
    hidden = (found.weights < 1e-30) & (found.scores < -90)
    mask = torch.zeros_like(found.weights).masked_fill(hidden, -torch.inf) if bool(hidden.any()) else None
    return Attend(found.weights[..., :1] * 0, value[..., :1] * 0, value, mask, 0.0, False, 0.0)

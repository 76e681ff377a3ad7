"""Two tensors that were taken together number by number: multiplied, subtracted, or multiplied and summed up step by
step. What is made of them may be attention without a softmax of torch's."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from attnviz.capture.lineage import Follows
from attnviz.capture.products import Product, pointwise


@dataclass(frozen=True)
class Factors:
    """Two tensors that were multiplied number by number, and may be summed."""

    follows: ClassVar[Follows] = "nothing"

    both: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Difference:
    """Two tensors of tokens of which each one of the first was subtracted from each one of the second; squared and
    summed, these are the distances of queries and keys.
    """

    follows: ClassVar[Follows] = "sums"

    both: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Running:
    """A running sum of a tensor, or of two that were multiplied; `outer` where each number of a token was multiplied
    with each of another."""

    follows: ClassVar[Follows] = "sums"

    of: tuple[Tensor, ...]
    outer: bool

    def is_weighted_by(self, other: Any) -> bool:
        """Return whether the other one sums what the factors of this one are weighted by."""
        if not isinstance(other, Running) or len(self.of) != 2 or len(other.of) != 1:
            return False
        (weights,) = other.of
        return any(one is weights or (one.shape == weights.shape and torch.equal(one, weights)) for one in self.of)


def of_tokens(factor: Any) -> bool:
    """Return whether something is a tensor of more than a vector, and no weight of the model."""
    return isinstance(factor, Tensor) and factor.ndim > 1 and not isinstance(factor, nn.Parameter)


def difference_of(first: Any, second: Any) -> Difference | None:
    """Return what a subtraction is a mark of; None where its operands are not paired, token by token."""
    if not (of_tokens(first) and of_tokens(second) and first.is_floating_point() and second.is_floating_point()):
        return None
    paired = pointwise(first, second, [])
    return Difference((first, second)) if paired and paired.sure and not paired.of_parameters else None


def running_of(given: Tensor, mark: Any) -> Running | None:
    """Return what a running sum is a mark of."""
    if not isinstance(mark, Factors):
        return Running((given,), False) if mark is None and given.is_floating_point() else None
    outer = pointwise(*mark.both, [])
    return Running(mark.both, isinstance(outer, Product) and outer.sure)

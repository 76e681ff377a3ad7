"""Two tensors combined elementwise: multiplied, subtracted, or multiplied and cumulatively summed. The result may be
attention without torch's softmax."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from attnviz.capture.lineage import Follows
from attnviz.capture.products import Product, pointwise


@dataclass(frozen=True)
class Factors:
    """Two tensors that were multiplied elementwise, and may be summed."""

    follows: ClassVar[Follows] = "nothing"

    both: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Difference:
    """Differences between every token of one tensor and every token of another; squared and summed, these are the
    distances of queries and keys.
    """

    follows: ClassVar[Follows] = "sums"

    both: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Running:
    """A running sum of a tensor, or of two that were multiplied; `outer` if it was an outer product of the features of
    two tokens."""

    follows: ClassVar[Follows] = "sums"

    of: tuple[Tensor, ...]
    outer: bool

    def is_weighted_by(self, other: Any) -> bool:
        """Return whether the other running sum adds up the weights of this one's factors."""
        if not isinstance(other, Running) or len(self.of) != 2 or len(other.of) != 1:
            return False
        (weights,) = other.of
        return any(one is weights or (one.shape == weights.shape and torch.equal(one, weights)) for one in self.of)


def of_tokens(factor: Any) -> bool:
    """Return whether a value is a tensor with at least two axes and not a parameter of the model."""
    return isinstance(factor, Tensor) and factor.ndim > 1 and not isinstance(factor, nn.Parameter)


def difference_of(first: Any, second: Any) -> Difference | None:
    """Return the mark of a subtraction, or None if its operands do not pair every token with every other."""
    if not (of_tokens(first) and of_tokens(second) and first.is_floating_point() and second.is_floating_point()):
        return None
    paired = pointwise(first, second, [])
    return Difference((first, second)) if paired and paired.sure and not paired.of_parameters else None


def running_of(given: Tensor, mark: Any) -> Running | None:
    """Return the mark of a running sum."""
    if not isinstance(mark, Factors):
        return Running((given,), False) if mark is None and given.is_floating_point() else None
    outer = pointwise(*mark.both, [])
    return Running(mark.both, isinstance(outer, Product) and outer.sure)

"""Gates: a sigmoid of a channel vector, or of one map, that is multiplied with feature maps.

These are not gates: x sigmoid(x) (SiLU), a sigmoid of the same size as its other factor (GLU, a GRU's), a sigmoid of a
weight of the model, a sigmoid that is the model's output, and a factor of each head's tokens, of scores, of weights or
of mixed values.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import log
from typing import Any, ClassVar, Literal

from torch import Tensor, nn

from attnviz.capture.lineage import Follows


@dataclass(frozen=True)
class Gate:
    """A sigmoid, which becomes a gate once it is multiplied with feature maps.

    Args:
        source: the input of the sigmoid.
        operand: the factor in the shape in which it enters the product.
        tap: "gate" for one factor per channel, "space_gate" for one per position.
        features: the shape of the feature maps.
        axes: the axes of the operand along which the factor varies, the batch first.
    """

    follows: ClassVar[Follows] = "shapes"

    source: Tensor
    operand: Tensor
    tap: Literal["", "gate", "space_gate"] = ""
    features: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """The axes of the tap."""
        return "batch channel" if self.tap == "gate" else "batch row column"

    @property
    def shown(self) -> Tensor:
        """The factors: (batch, channel), or (batch, row, column)."""
        index = tuple(slice(None) if axis in self.axes else 0 for axis in range(self.operand.ndim))
        return self.operand[index]

    def back(self, shown: Tensor) -> Tensor:
        """Return factors in the shape in which they enter the product."""
        sizes = [size if axis in self.axes else 1 for axis, size in enumerate(self.operand.shape)]
        return shown.reshape(sizes).expand(self.operand.shape)


def gate_of(
    first: Any, second: Any, first_mark: Any, second_mark: Any, of_attention: Callable[[Any], bool]
) -> Gate | None:
    """Return the gate that a product of two factors forms, judged by their marks, or None for any other product."""
    for operand, mark, features, other in (
        (first, first_mark, second, second_mark),
        (second, second_mark, first, first_mark),
    ):
        if not isinstance(mark, Gate) or not isinstance(features, Tensor) or isinstance(features, nn.Parameter):
            continue
        if of_attention(other):
            continue
        if (
            mark.source is features
            or isinstance(mark.source, nn.Parameter)
            or isinstance(mark.source._base, nn.Parameter)
        ):
            continue
        found = _varies(operand, features)
        if found:
            tap, axes = found
            return replace(mark, operand=operand, tap=tap, features=tuple(features.shape), axes=axes)
    return None


def lies_on_a_picture(gate: Gate, given: Iterable[Tensor]) -> bool:
    """Return whether the rows and columns of a spatial gate have the proportions of the model's input: (batch, channel,
    row, column), or with channels last. A channel gate always passes.

    With channels last, rows and columns take the axes of heads and tokens in attention, whose proportions differ.
    """
    if gate.tap != "space_gate" or gate.axes != (0, 1, 2):
        return True
    rows, columns = gate.features[1:3]
    sizes = [size for one in given if one.ndim == 4 for size in (one.shape[2:], one.shape[1:3])]
    return any(abs(log(rows / columns * width / height)) < log(1.3) for height, width in sizes)


def _varies(operand: Tensor, features: Tensor) -> tuple[Literal["gate", "space_gate"], tuple[int, ...]] | None:
    ndim = features.ndim
    if ndim < 3 or operand.ndim != ndim or operand.shape[0] != features.shape[0]:
        return None
    sizes = [1 if operand.stride(axis) == 0 else operand.shape[axis] for axis in range(ndim)]
    varying = tuple(axis for axis in range(1, ndim) if sizes[axis] > 1)
    constant = [axis for axis in range(1, ndim) if axis not in varying and features.shape[axis] > 1]
    if any(sizes[axis] != features.shape[axis] for axis in varying) or not varying or not constant:
        return None
    if varying == (ndim - 1,) or (varying == (1,) and ndim > 3):
        return "gate", (0, *varying)
    if ndim == 4 and varying in ((2, 3), (1, 2)):
        return "space_gate", (0, *varying)
    return None

"""Track the origin of a tensor (a product, a softmax, an attention or a gate) as an attribute of the tensor.

A mark passes through operations whose result has as many elements as the marked tensor (a scale, a bias, a reshape),
and through those that take a part of it or repeat it. It ends where something new is computed, as in a linear layer,
and where the elements are reordered.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, Literal, Protocol

from torch import Tensor

PARTS = {
    "__getitem__", "broadcast_to", "cat", "chunk", "concat", "expand", "expand_as", "index_select", "interpolate",
    "narrow", "pad", "repeat", "repeat_interleave", "select", "split", "stack", "tensor_split", "unbind",
    "unsafe_chunk",
}  # fmt: skip
SHAPES = PARTS | {
    "clone", "contiguous", "flatten", "movedim", "permute", "reshape", "squeeze", "to", "transpose", "type_as",
    "unflatten", "unsqueeze", "view", "float", "type", "view_as", "reshape_as", "swapaxes",
    "div", "div_", "__truediv__", "__itruediv__",  # the last step of a hard sigmoid written out in code
}  # fmt: skip
SUMS = {
    "add",
    "sub",
    "rsub",
    "subtract",
    "__add__",
    "__sub__",
    "__rsub__",
    "__radd__",
    "__iadd__",
    "__isub__",
    "lerp",
    "addcmul",
}

ENDS = {
    "zeros_like", "ones_like", "empty_like", "rand_like", "randn_like",  # only use the shape
    "flip", "gather", "msort", "roll", "sort", "take_along_dim", "topk",  # reorder the keys
}  # fmt: skip
SOLVES = {"linalg_solve", "linalg_solve_ex", "linalg_solve_triangular", "linalg_lstsq"}  # times an inverse
JOINS = {"cat", "concat", "concatenate", "stack"}
PROJECTIONS = {"linear", "conv1d", "conv2d", "conv3d"}
TURNS = {"transpose", "swapaxes", "swapdims", "permute", "movedim", "t", "adjoint", "__get__"}  # the last of .mT and .T
LAYERS = PROJECTIONS | {"layer_norm", "batch_norm", "group_norm", "rms_norm"}

_numbers = count()
Follows = Literal["all", "sums", "shapes", "nothing"]


class Followed(Protocol):
    """A possible origin of a tensor; `follows` names the operations through which its mark passes."""

    follows: ClassVar[Follows]


@dataclass
class Mark:
    """The origin of a tensor, and the number of elements it had when the mark was made. The tensor may be only a part
    of the origin, the output of a layer applied to it, or have its axes in another order.
    """

    of: Followed
    numel: int
    part: bool = False
    projected: bool = False
    turned: bool = False


class Lineage:
    """The marks of one pass. Each pass uses its own attribute, so that two traces do not interfere."""

    def __init__(
        self, combined: Callable[[Followed, Followed], None], joined: Callable[[Followed, Followed], None]
    ) -> None:
        self._name = f"_attnviz_{next(_numbers)}"
        self._combined, self._joined = combined, joined

    def of(self, tensor: Any) -> Followed | None:
        """Return the origin of a tensor, or None."""
        mark = getattr(tensor, self._name, None)
        return mark.of if isinstance(mark, Mark) else None

    def is_projected(self, tensor: Any) -> bool:
        """Return whether a linear layer or a convolution lies between a tensor and its origin."""
        mark = getattr(tensor, self._name, None)
        return isinstance(mark, Mark) and mark.projected

    def is_turned(self, tensor: Any) -> bool:
        """Return whether axes may have been exchanged between a tensor and its origin."""
        mark = getattr(tensor, self._name, None)
        return isinstance(mark, Mark) and mark.turned

    def mark(self, tensor: Tensor, of: Followed) -> None:
        """Mark a tensor as the start of the given origin."""
        setattr(tensor, self._name, Mark(of, tensor.numel()))

    def pass_on(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any], result: Any) -> None:
        """Pass the marks of an operation's arguments on to its result."""
        found = [mark for one in tensors_in(arguments, named) if (mark := getattr(one, self._name, None)) is not None]
        name = getattr(function, "__name__", "").partition(".")[0]  # an operator's name includes its overload
        if not found or name in ENDS:
            return
        if len(found) > 1 and name in SUMS:
            first, second = found[:2]
            if first.of is not second.of or (first.part and second.part):
                self._combined(first.of, second.of)
        elif len(found) > 1 and name in JOINS:
            for mark in found[1:]:
                self._joined(found[0].of, mark.of)
        for tensor in result if isinstance(result, tuple | list) else (result,):
            if isinstance(tensor, Tensor) and not (tensor.is_leaf and tensor.requires_grad):
                self._pass(found, name, tensor)

    def _pass(self, found: list[Mark], name: str, tensor: Tensor) -> None:
        size = tensor.numel()
        for mark in found:
            if mark.of.follows == "nothing":
                continue
            if name not in SHAPES and (mark.of.follows == "shapes" or (mark.of.follows == "sums" and name in LAYERS)):
                continue
            if size == mark.numel or name in PARTS or name in SOLVES:  # the matrix comes before what it is solved for
                part = mark.part or size < mark.numel
                projected, turned = mark.projected or name in PROJECTIONS, mark.turned or name in TURNS
                setattr(tensor, self._name, Mark(mark.of, size, part, projected, turned))
                return


def tensors_in(arguments: tuple[Any, ...], named: dict[str, Any]) -> Iterator[Tensor]:
    """Yield the tensors among the arguments of an operation."""
    for one in (*arguments, *named.values()) if named else arguments:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, tuple | list):
            yield from (inner for inner in one if isinstance(inner, Tensor))

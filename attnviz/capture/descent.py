"""Tell products of tokens, which may be attention, from layers: what is computed from the input, and what is fixed.

A tensor is fixed if it is a parameter, a buffer or another tensor of the model, if it is made in the pass without the
input, or if it is computed from fixed tensors alone. What a linear layer or a convolution makes of fixed tensors counts
as tokens: learned queries are attention's own.

A product of two tensors of tokens is followed through every operation, layers included, within one call of a module:
there, a further product of what descends from it is linear attention, unless a softmax follows.
"""

from collections.abc import Iterable, Set
from typing import Any

from torch import Tensor, nn

from attnviz.capture.frames import Where
from attnviz.capture.lineage import PROJECTIONS, tensors_in

_SHAPE_ALONE = {"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like", "new_zeros",
                "new_ones", "new_empty", "new_full", "new_tensor"}  # fmt: skip
_LIKE_ANOTHER = {"to", "type_as", "view_as", "reshape_as", "expand_as"}
_FIXED = object()


class Pairing:
    """A product of two tensors of tokens.

    Args:
        number: how many were computed before it.
        layer: the call of the module that computes it.
        before: the last of this layer from which its operands descend.
    """

    def __init__(self, number: int, layer: Where, before: "Pairing | None") -> None:
        self.number, self.layer, self.before = number, layer, before
        self._one: Pairing | None = None  # the summand that stands for both
        self._softmax = False

    @property
    def _root(self) -> "Pairing":
        one = self
        while one._one is not None:
            one = one._one
        return one

    @property
    def is_weighted(self) -> bool:
        """Whether a softmax has made weights of it, or of a sum with it."""
        return self._root._softmax

    @property
    def follows_another(self) -> bool:
        """Whether it multiplies what descends from another product of its layer that became no weights."""
        one = self.before
        while one is not None and one.is_weighted:
            one = one.before
        return one is not None

    def weigh(self) -> None:
        """Record that a softmax makes weights of it."""
        self._root._softmax = True

    def add(self, other: "Pairing") -> None:
        """Record that the two products are summed."""
        if self._root is not other._root:
            other._root._one = self._root


class Descent:
    """What the tensors of one pass descend from, as an attribute of each.

    Args:
        held: the ids of the tensors that the model holds.
    """

    def __init__(self, held: Iterable[int] = ()) -> None:
        self._held, self._name = {*held}, f"_attnviz_descent_{id(self)}"
        self._pairings: list[Pairing] = []

    def is_fixed(self, tensor: Tensor) -> bool:
        """Return whether a tensor is the same for every input."""
        known = getattr(tensor, self._name, None)
        return known is _FIXED or (known is None and (id(tensor) in self._held or type(tensor) is nn.Parameter))

    def pair(self, factors: Iterable[Tensor], result: Tensor, layer: Where) -> Pairing:
        """Record a product of two tensors of tokens."""
        before = self._latest(factors)
        same = before if before is not None and before.layer.visited == layer.visited else None
        pairing = Pairing(len(self._pairings), layer, same)
        self._pairings.append(pairing)
        setattr(result, self._name, pairing)
        return pairing

    def unweighted(self, known: Set[tuple[str, int]]) -> list[Where]:
        """Return the layers, except those known, with a product of what descends from a product, and no softmax."""
        found: dict[tuple[str, int], Where] = {}
        for one in self._pairings:
            if one.follows_another and not one.is_weighted and one.layer.visited not in known:
                found.setdefault(one.layer.visited, one.layer)
        return [*found.values()]

    def pass_on(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any], result: Any) -> None:
        """Record what the result of an operation descends from."""
        name = getattr(function, "__name__", "").partition(".")[0]
        if name == "__setitem__":
            result = arguments[0]
        if not isinstance(result, Tensor | tuple | list):
            return
        known = self._known(name, arguments, named, result)
        for one in (result,) if isinstance(result, Tensor) else result:
            if not isinstance(one, Tensor):
                continue
            if id(one) in self._held or type(one) is nn.Parameter:
                if known is _FIXED or not name.endswith("_"):
                    continue
                self._held.discard(id(one))  # the input is written into it
            if known is not None and (known is _FIXED or one.is_floating_point()):
                setattr(one, self._name, known)
            elif getattr(one, self._name, None) is not None:
                delattr(one, self._name)

    def _known(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any], result: Any) -> Any:
        given = [*tensors_in(arguments[:1] if name in _LIKE_ANOTHER else arguments, named)]
        if name in _SHAPE_ALONE or (name not in PROJECTIONS and all(self.is_fixed(one) for one in given)):
            return _FIXED
        return self._latest([*given, result] if isinstance(result, Tensor) else given)

    def _latest(self, tensors: Iterable[Tensor]) -> Pairing | None:
        found = [known for one in tensors if isinstance(known := getattr(one, self._name, None), Pairing)]
        return max(found, key=lambda one: one.number, default=None)

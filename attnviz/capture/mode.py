"""Intercept every torch function that a thread calls, and pass those that make up attention to a subclass.

A function mode costs nothing while inactive, changes nothing in torch or in the model, and belongs to one thread.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from attnviz.capture.descent import Descent
from attnviz.capture.frames import Frames
from attnviz.capture.gates import Gate, gate_of
from attnviz.capture.lineage import Follows, Lineage
from attnviz.capture.multi_head import opened
from attnviz.capture.pairs import Difference, Factors, Running, difference_of, of_tokens, running_of
from attnviz.capture.products import PRODUCTS, Product, of_many, pointwise, product_of

_SDPA = {F.scaled_dot_product_attention, torch.ops.aten.scaled_dot_product_attention.default,
         torch.ops.aten.scaled_dot_product_attention}  # fmt: skip
_SOFTMAX = {F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax}
_SIGMOID = {torch.sigmoid, Tensor.sigmoid, F.sigmoid, torch.special.expit, Tensor.sigmoid_, torch.sigmoid_,
            F.hardsigmoid}  # fmt: skip
_CLAMP = {torch.clamp, Tensor.clamp, Tensor.clamp_, F.relu6, F.hardtanh}
_TIMES = {torch.mul, Tensor.mul, Tensor.mul_, Tensor.__mul__, Tensor.__rmul__, Tensor.__imul__,
          torch.multiply, Tensor.multiply}  # fmt: skip
_SUM = {torch.sum, Tensor.sum, torch.mean, Tensor.mean}
_NORM = {torch.norm, Tensor.norm, torch.linalg.norm, torch.linalg.vector_norm}
_MINUS = {torch.sub, Tensor.sub, Tensor.__sub__, torch.subtract, Tensor.subtract}
_OVER = {torch.div, Tensor.div, Tensor.__truediv__, torch.divide, Tensor.divide, torch.true_divide}
_RUNNING = {torch.cumsum, Tensor.cumsum}
_PUT = {torch.scatter, Tensor.scatter, Tensor.scatter_, torch.index_put, Tensor.index_put, Tensor.index_put_,
        torch.masked_scatter, Tensor.masked_scatter, Tensor.masked_scatter_, Tensor.__setitem__}  # fmt: skip
_OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)
_TABLE: dict[Any, str] = {
    F.multi_head_attention_forward: "_multi_head",
    **dict.fromkeys(_SDPA, "attention"),
    **dict.fromkeys(_SOFTMAX, "_softmax"),
    **dict.fromkeys(PRODUCTS, "_product"),
    F.linear: "_linear",
    **dict.fromkeys(_SUM, "_sum"),
    **dict.fromkeys(_NORM, "_norm"),
    **dict.fromkeys(_MINUS, "_minus"),
    **dict.fromkeys(_OVER, "_over"),
    **dict.fromkeys(_RUNNING, "_running"),
    **dict.fromkeys(_PUT, "_scattered"),
    **dict.fromkeys(_SIGMOID, "_sigmoid"),
    **dict.fromkeys(_CLAMP, "_clamp"),
    **dict.fromkeys(_TIMES, "_times"),
}


class Softmax:
    """A softmax that may turn out to belong to an attention.

    Args:
        scores: its input.
        weights: its output.
        product: query times key, from which the scores descend; None if they descend from no product.
        last: whether it runs over the last axis.

    The subclass of `Mode` adds its `call`, and a `sample` of some rows of the weights.
    """

    follows: ClassVar[Follows] = "all"

    def __init__(self, scores: Tensor, weights: Tensor, product: Product | None, last: bool) -> None:
        self.scores, self.weights, self.product, self.last = scores, weights, product, last
        self.call: Any = None
        self.sample = weights


class Mode(TorchFunctionMode):
    """Calls `attention`, `softmax`, `mixing`, `unweighted`, `gate` and `fused`, which subclasses override."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.frames = Frames(model)
        self.lineage, self.descent = Lineage(self._summed, self.joined), Descent(self.frames.held)
        self.operations = 0

    def __torch_function__(
        self, function: Any, types: Any, arguments: tuple[Any, ...] = (), named: dict[str, Any] | None = None
    ) -> Any:
        named = named or {}
        self.operations += 1
        if torch.compiler.is_compiling():
            return function(*arguments, **named)
        if isinstance(function, _OPERATORS) or getattr(function, "__name__", "") == "flex_attention":
            function = self._operator(function)
        kind = _TABLE.get(function, "_other")
        result = getattr(self, kind)(function, arguments, named)
        if kind not in ("attention", "_multi_head"):
            self.descent.pass_on(function, arguments, named, result)
        return result

    # Methods for subclasses to override

    def attention(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Compute torch's scaled dot-product attention."""
        raise NotImplementedError

    def softmax(self, found: Softmax, compute: Callable[[Tensor], Tensor]) -> Tensor:
        """Compute a softmax whose scores descend from a product."""
        raise NotImplementedError

    def mixing(self, found: Softmax, product: Product, place: int, compute: Callable[[Tensor], Tensor]) -> Tensor:
        """Compute a product whose operand at index `place` descends from a softmax."""
        raise NotImplementedError

    def unweighted(self) -> None:
        """Record a product of a product: attention without a softmax."""

    def gate(self, gate: Gate, compute: Callable[[Tensor], Tensor]) -> Tensor:
        """Compute the product of feature maps and their gate."""
        return compute(gate.operand)

    def fused(self, name: str) -> None:
        """Record a fused kernel, whose intermediate results are hidden."""

    def combined(self, first: Any, second: Any) -> None:
        """Record a sum of two followed values."""

    def joined(self, first: Any, second: Any) -> None:
        """Record that two followed values were joined in one tensor."""

    def reduced(self, of: Any, sizes: list[int]) -> None:
        """Record that a followed value is summed over axes of these sizes."""

    # Operations

    def _other(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        result = function(*arguments, **named)
        self.lineage.pass_on(function, arguments, named, result)
        return result

    def _multi_head(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        with self:
            return opened(function)(*arguments, **named)

    def _softmax(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        scores, *rest = arguments or (named["input"],)
        axis = named.get("dim", rest[0] if rest else None)
        product = self.lineage.of(scores)
        last = axis in (-1, scores.ndim - 1)
        if isinstance(product, Product) and product.pairing:
            product.pairing.weigh()
        found = Softmax(scores, scores, product if isinstance(product, Product) else None, last)

        def compute(given: Tensor) -> Any:
            return function(given, *rest, **named) if arguments else function(**{**named, "input": given})

        def alone(given: Tensor) -> Any:
            return compute(given.squeeze(-2)).unsqueeze(-2)

        if not found.product or not last:
            weights = compute(scores)
        elif found.product.is_of_one_query:
            found.scores = scores.unsqueeze(-2)
            found.weights = self.softmax(found, alone)
            weights = found.weights.squeeze(-2)
        else:
            weights = found.weights = self.softmax(found, compute) if scores.ndim > 1 else compute(scores)
        self.lineage.mark(weights, found)
        return weights

    def _product(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        product = product_of(function, arguments, named)
        if product is None:
            if of_many(function, arguments, named):
                self.unweighted()
            return self._other(function, arguments, named)

        def compute(old: Any = None, new: Any = None) -> Any:
            return function(*_put(arguments, old, new), **dict(zip(named, _put(named.values(), old, new), strict=True)))

        return self._multiplied(product, product.operands, compute)

    def _multiplied(self, product: Product, factors: tuple[Tensor, Tensor], compute: Callable[..., Any]) -> Any:
        """Compute the model's product of two tensors, with one operand replaced if another is given."""
        marks = [self.lineage.of(one) for one in factors]
        place, mark = next(((n, mark) for n, mark in enumerate(marks) if isinstance(mark, Softmax)), (0, None))
        if mark is not None:
            other = product.operands[1 - place]
            return self.mixing(mark, product, place, lambda given: compute(other, given))
        result = compute()
        if any(isinstance(mark, Running) and mark.outer for mark in marks) and not product.of_parameters:
            self.unweighted()
        sources = [self.lineage.of(mark.source) if isinstance(mark, Gate) else mark for mark in marks]
        products = zip(sources, factors, strict=True)  # a layer's features, even of a product, are new ones
        direct = (mark for mark, one in products if not self.lineage.is_projected(one))
        before = next((mark for mark in direct if isinstance(mark, Product)), None)
        found = self._paired(product, factors, result)
        if before is not None and before.pairing and found.pairing:
            self.unweighted()
        else:
            self.lineage.mark(result, found if found.pairing or not before else replace(found, pairing=before.pairing))
        return result

    def _paired(self, product: Product, factors: tuple[Tensor, Tensor], result: Tensor) -> Product:
        """Record whether a product is one of tokens."""
        if not product.sure or any(self.descent.is_fixed(one) for one in factors):
            return product
        return replace(product, pairing=self.descent.pair(factors, result, self.frames.where("product")))

    def _summed(self, first: Any, second: Any) -> None:
        if isinstance(first, Product) and isinstance(second, Product) and first.pairing and second.pairing:
            first.pairing.add(second.pairing)
        self.combined(first, second)

    def _linear(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Follow a product that is written as a linear layer whose weights are not parameters of the model."""
        weight = arguments[1] if len(arguments) > 1 else named["weight"]
        return (self._other if self.descent.is_fixed(weight) else self._product)(function, arguments, named)

    def _sum(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given, *rest = arguments or (named["input"],)
        mark, axes = self.lineage.of(given), named.get("dim", rest[0] if rest else None)
        if mark is None or axes is None:
            return self._other(function, arguments, named)
        axes = [*axes] if isinstance(axes, tuple | list) else [axes]
        if isinstance(mark, Difference):
            return self._distances(mark, axes, function, arguments, named)
        self.reduced(mark, [given.shape[axis] for axis in axes])
        both = mark.both if isinstance(mark, Factors) else None
        product = pointwise(*both, axes) if both else None
        weighted = any(isinstance(self.lineage.of(one), Softmax) for one in both or ())
        if both is None or product is None or (weighted and not torch.equal(given, both[0] * both[1])):
            return self._other(function, arguments, named)

        def compute(old: Any = None, new: Any = None) -> Any:
            if new is old:
                return function(given, axes)
            place = 0 if old is product.operands[0] else 1
            letters = sorted({*product.letters[0], *product.letters[1]})
            new = new[tuple(slice(None) if one in product.letters[place] else None for one in letters)]
            return function(both[1 - place] * new, axes)

        result = self._multiplied(product, both, compute)
        if not named.get("keepdim") and True not in rest[1:]:
            return result
        shape = [1 if axis in axes or axis - given.ndim in axes else size for axis, size in enumerate(given.shape)]
        kept = result.reshape(shape)
        self.lineage.pass_on(Tensor.reshape, (result,), {}, kept)
        return kept

    def _norm(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        mark = self.lineage.of(arguments[0]) if arguments else None
        axes = named.get("dim", arguments[2] if len(arguments) > 2 else None)
        if not isinstance(mark, Difference) or axes is None:
            return self._other(function, arguments, named)
        return self._distances(mark, [axes] if isinstance(axes, int) else [*axes], function, arguments, named)

    def _distances(
        self, of: Difference, axes: list[int], function: Any, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """Follow the distances of queries and keys, as torch.cdist computes them, like a product."""
        result, product = function(*arguments, **named), pointwise(*of.both, axes)
        if product is not None and result.ndim == len(product.result):
            self.lineage.mark(result, self._paired(product, of.both, result))
        return result

    def _minus(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        result = self._other(function, arguments, named)
        found = difference_of(*arguments) if len(arguments) == 2 and self.lineage.of(result) is None else None
        if found is not None:
            self.lineage.mark(result, found)
        return result

    def _over(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        first, second = (self.lineage.of(one) for one in (*arguments, None)[:2])
        if isinstance(first, Running) and first.is_weighted_by(second):
            self.unweighted()
        return self._other(function, arguments, named)

    def _running(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Follow a running sum, which may compute linear attention to earlier tokens."""
        result = self._other(function, arguments, named)
        found = running_of(arguments[0], self.lineage.of(arguments[0])) if arguments else None
        if found is not None:
            self.lineage.mark(result, found)
        return result

    def _scattered(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Follow weights that are scattered into a tensor, and any tensor that others are scattered into."""
        result = function(*arguments, **named)
        marks = (self.lineage.of(one) for one in (*arguments[1:], *named.values()))
        weights = next((mark for mark in marks if isinstance(mark, Softmax)), None)
        if weights is not None:
            self.lineage.mark(arguments[0] if result is None else result, weights)
        else:
            self.lineage.pass_on(function, arguments[:1], {}, result)
        return result

    def _sigmoid(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        source = arguments[0] if arguments else named["input"]
        result = function(*arguments, **named)
        self.lineage.mark(result, Gate(source, result))
        return result

    def _clamp(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Follow relu6(x + 3) / 6, a hard sigmoid written out."""
        result = function(*arguments, **named)
        bounds = [one for one in (*arguments[1:], *named.values()) if type(one) in (int, float)]
        if function is F.relu6 or bounds[:2] == [0, 6]:
            self.lineage.mark(result, Gate(arguments[0], result))
        else:
            self.lineage.pass_on(function, arguments, named, result)
        return result

    def _times(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        first, second = arguments[0], arguments[1] if len(arguments) > 1 else named.get("other")
        gate = gate_of(first, second, self.lineage.of(first), self.lineage.of(second), _of_attention)
        if gate is None:
            result = self._other(function, arguments, named)
            new = isinstance(self.lineage.of(result), Running | None)
            other = first is not second and result is not first and new
            if other and isinstance(second, Tensor) and of_tokens(first) and of_tokens(second):
                self.lineage.mark(result, Factors((first, second)))
                if result.numel() > max(first.numel(), second.numel()):  # perhaps the state of a recurrence
                    self._paired(cast(Product, pointwise(first, second, [])), (first, second), result)
            return result
        operand = gate.operand
        return self.gate(gate, lambda given: function(*_put(arguments, operand, given)))

    def _operator(self, function: Any) -> Any:
        """Return the torch function equivalent to an operator, if one exists, and record a fused attention kernel."""
        name = function.name() if isinstance(function, torch._ops.OpOverload) else str(function)
        plain = getattr(torch, name.removeprefix("aten::").removeprefix("aten.").partition(".")[0], None)
        if function not in _TABLE and ("attention" in name.lower() or "attn" in name.lower()):
            self.fused(name)
        return plain if name.startswith("aten") and plain in PRODUCTS | _SOFTMAX else function


def _of_attention(mark: Any) -> bool:
    return isinstance(mark, Softmax) or (isinstance(mark, Product) and not mark.of_parameters)


def _put(arguments: Any, old: Any, new: Any) -> list[Any]:
    """Return the arguments with one tensor replaced by another."""
    return [_put(one, old, new) if isinstance(one, tuple | list) else new if one is old else one for one in arguments]

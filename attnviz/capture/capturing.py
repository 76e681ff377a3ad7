"""Capture the calls of a model's pass: keep the requested values, apply edits, and check every call."""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz import passes
from attnviz.capture import refusals
from attnviz.capture.call import (
    TAPS,
    Attend,
    Call,
    apart,
    aside,
    bound,
    is_reversed,
    narrow,
    rows_of,
    runs_over_channels,
    softmax,
    tolerance,
)
from attnviz.capture.frames import Where, tensors_of
from attnviz.capture.gates import Gate, lies_on_a_picture
from attnviz.capture.layout import heads_named, layout_of, packed_axis
from attnviz.capture.mixing import Mixed, combine, composed, even_of, mixing_of
from attnviz.capture.mode import Mode, Softmax
from attnviz.capture.products import Product
from attnviz.edits import Edit, Look, edited
from attnviz.errors import TraceError

Parts = Mapping[str, Mapping[str, Any]]
NEEDS = {"scores": ("query", "key", "mask"), "weights": ("query", "key", "mask")}


class Capture(Mode):
    """Captures the calls of one model in one thread.

    Args:
        model: any module.
        keep: patterns of tap paths -> the part to keep.
        edits: tap path -> edits.
        gradients: keep the graph.
        layer: the class of modules with taps of their own, whose calls are not captured.
    """

    def __init__(
        self,
        model: nn.Module,
        keep: Parts,
        edits: Mapping[str, Sequence[Edit]],
        gradients: bool,
        layer: type[nn.Module],
    ) -> None:
        super().__init__(model)
        self.model, self.keep, self.edits, self.gradients = model, keep, edits, gradients
        self.backward = passes.backward()
        self.calls: list[Call] = []
        self.gates: dict[str, tuple[Gate, Tensor, Tensor | None]] = {}
        self.used: set[tuple[str, int]] = set()
        self.slow_paths = 0
        self._own = {path for path, module in model.named_modules() if isinstance(module, layer)}
        self._wanted: dict[str, dict[str, Mapping[str, Any]]] = {}

    # Requested taps

    def wanted(self, key: str, taps: Sequence[str] = TAPS) -> dict[str, Mapping[str, Any]]:
        """Return the taps of a call to keep, with the part of each; the last matching pattern counts."""
        if key not in self._wanted:
            found = {}
            for tap in (*TAPS, "gate", "space_gate"):
                matching = [part for pattern, part in self.keep.items() if fnmatchcase(tap_path(key, tap), pattern)]
                if matching:
                    found[tap] = matching[-1]
            self._wanted[key] = found
        return {tap: part for tap, part in self._wanted[key].items() if tap in taps}

    def _edited(self, key: str) -> set[str]:
        return {tap for tap in (*TAPS, "gate", "space_gate") if tap_path(key, tap) in self.edits}

    def _has_own_taps(self, where: Where) -> bool:
        parts = where.path.split(".")
        return bool(self._own) and any(".".join(parts[:n]) in self._own for n in range(len(parts) + 1))

    # Torch's own attention

    def attention(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        where = self.frames.where("attention")
        if self._has_own_taps(where):
            return function(*arguments, **named)
        call = Call(where, "scaled_dot_product_attention")
        self.calls.append(call)
        call.refused = refusals.unusual((*arguments, *named.values()))
        if call.refused:
            return function(*arguments, **named)
        given = bound(*arguments, **named)
        self._settle(call, given.query.shape[:-2], given.query, given.key)
        call.scale, call.causal, call.masked = given.scale, given.causal, given.mask is not None
        if given.dropout and not call.refused:
            call.refused = refusals.DROPOUT
        if call.refused:
            result = function(*arguments, **named)
        elif self._edited(where.key) or self.gradients:
            result = self._opened(call, given)
        else:
            result = function(*arguments, **named)
            self._keep_call(call, given, result)
        self.lineage.mark(result, Mixed(call))
        return result

    def _opened(self, call: Call, given: Attend) -> Tensor:
        """Compute an attention step by step as far as edits and gradients need it."""
        key, wanted = call.where.key, self.wanted(call.where.key)
        if self.gradients and wanted:
            path = tap_path(key, next(iter(wanted)))
            passes.check_repeated(path, self.backward, "computed step by step", "leave out gradients=True")
        given.query = self._through(call, "query", given.query)
        given.key = self._through(call, "key", given.key)
        given.value = self._through(call, "value", given.value, given)
        inner = self._edited(key) & {"scores", "weights"}
        if inner or (self.gradients and {"scores", "weights"} & wanted.keys()):
            scores = self._through(call, "scores", given.scores())
            weights = self._through(call, "weights", softmax(scores))
            result = weights @ given.value
        else:
            result = F.scaled_dot_product_attention(
                given.query, given.key, given.value, given.mask, is_causal=given.causal, scale=given.scale
            )
            self._check(call, given, result, full=bool(wanted))
            self._hold(call, "query", given.query, NEEDS)
            self._hold(call, "key", given.key, NEEDS)
            if given.mask is not None:
                self._hold(call, "mask", given.mask, NEEDS)
        return self._through(call, "mixed", result)

    def _keep_call(self, call: Call, given: Attend, result: Tensor) -> None:
        wanted = self.wanted(call.where.key)
        self._check(call, given, result, full=bool(wanted))
        for tap in ("query", "key", "value", "mask", "mixed"):
            tensor = result if tap == "mixed" else getattr(given, tap)
            if tensor is not None:
                self._hold(call, tap, tensor, NEEDS)

    def _hold(self, call: Call, tap: str, tensor: Tensor, needs: Mapping[str, Sequence[str]] = {}) -> None:  # noqa: B006
        """Keep a copy of the part of a tensor requested for a tap or for a tap computed from it."""
        wanted = self.wanted(call.where.key)
        if tap in wanted or any(tap in needs.get(other, ()) for other in wanted):
            with aside(tensor):
                shown = narrow(call.layout.shown(tensor.detach()))
                call.kept.setdefault(tap, shown.cpu() if self.frames.away(call.where.module) else shown)

    def _through(self, call: Call, tap: str, tensor: Tensor, given: Attend | None = None) -> Tensor:
        """Edit a value, keep it, and return the value with which the model continues."""
        path = tap_path(call.where.key, tap)
        edits = self.edits.get(path, ())
        if not edits and not self.gradients:
            self._hold(call, tap, tensor)
            return tensor
        if edits:
            passes.check_repeated(path, self.backward)
        shown = before = call.layout.shown(tensor)
        for place, edit in enumerate(edits):
            changed = edited(path, shown, call.axes(tap), {}, edit)
            if isinstance(edit, Look) and given is not None:
                edit.mean = call.layout.shown(given.even())
            if changed is not None:
                shown = changed
                self.used.add((path, place))
        if tap in self.wanted(call.where.key):
            passes.check_alive(path, shown, passes.transforms(), self.gradients)
            call.kept[tap] = shown if self.gradients else shown.detach().clone()
            if edits:
                call.before[tap] = before if self.gradients else before.detach().clone()
        return call.layout.back(shown)

    def _check(self, call: Call, given: Attend, result: Tensor, full: bool) -> None:
        with aside(result):
            rows = None if full else rows_of(call.queries, result.device)
            wide = torch.promote_types(result.dtype, torch.float32)
            found = given.weights(rows, wide) @ given.value.to(wide)
            call.far = apart(found, result if rows is None else result.index_select(-2, rows))
            call.dtype = result.dtype

    def _settle(self, call: Call, lead: Sequence[int], query: Tensor, key: Tensor) -> None:
        call.queries, call.keys, call.features = query.shape[-2], key.shape[-2], query.shape[-1]
        call.dtype = query.dtype
        try:
            call.layout = layout_of(lead, self.frames.batches, heads_named(call.where.module), packed_axis(query))
        except TraceError as error:
            call.refused = str(error)
        if not call.refused and runs_over_channels(call):
            call.refused = refusals.CHANNELS

    # Attention written out in the model's code

    def softmax(self, found: Softmax, compute: Callable[[Tensor], Tensor]) -> Tensor:
        where = self.frames.where("attention")
        if self._has_own_taps(where):
            return compute(found.scores)
        call = found.call = Call(where, "softmax", refusals.UNUSED)
        self.calls.append(call)
        scores = found.scores
        if reason := refusals.unusual((scores,)):
            call.refused = reason
            return compute(scores)
        lead, (queries, keys) = scores.shape[:-2], scores.shape[-2:]
        assert found.product is not None
        both = found.product.query_and_key(lead, queries, keys)
        call.refused = ""
        if both is None:
            call.queries, call.keys = queries, keys
            both = scores, scores.mT
        elif queries == keys and self.lineage.is_turned(scores) and is_reversed(*both, scores):
            both = both[1], both[0]
        self._settle(call, lead, *both)
        if call.refused:
            return compute(scores)
        if both[0] is not scores:
            self._hold(call, "query", both[0])
            self._hold(call, "key", both[1])
        scores = found.scores = self._through(call, "scores", scores)
        weights = self._through(call, "weights", compute(scores))
        with aside(weights):  # later in-place changes of the weights must be noticed
            found.sample = weights.detach().index_select(-2, rows_of(queries, weights.device))
        call.refused = refusals.UNUSED
        return weights

    def mixing(self, found: Softmax, product: Product, place: int, compute: Callable[[Tensor], Tensor]) -> Tensor:
        other = product.operands[1 - place]
        call = found.call
        if call is None:
            result = compute(other)
            if not product.of_parameters:
                self._refuse(refusals.NO_SCORES if found.last else refusals.OTHER_AXIS)
            return result
        with_what = self.lineage.of(other)
        if composed(call, with_what):
            result = compute(other)
            if isinstance(with_what, Softmax):  # also a product of weights, which may be multiplied further
                self.lineage.mark(result, found)
            return result
        if call.refused != refusals.UNUSED:
            return compute(other)
        mixing = mixing_of(found, product, place)
        if isinstance(mixing, str):
            call.refused = refusals.CHANGED if product.of_parameters else mixing
            return compute(other)
        call.refused = ""
        value = mixing.value
        if self.gradients or self._edited(call.where.key) & {"value", "mixed"}:
            value = self._through(call, "value", value, even_of(found, value))
            back = mixing.back(value, product.letters[1 - place], mixing.keys)
            if back is None:
                call.refused = refusals.SHAPE
                return compute(other)
            other = back
        result = compute(other)
        mixed = mixing.shown(result, product.result, mixing.queries)
        with aside(result):
            rows = rows_of(call.queries, result.device)
            wide = torch.promote_types(result.dtype, torch.float32)
            again = mixing.weights.index_select(-2, rows).to(wide) @ value.to(wide)
            call.far = apart(again, mixed.index_select(-2, rows))
            call.dtype = result.dtype
        self._hold(call, "value", value)
        changed = self._through(call, "mixed", mixed)
        if changed is not mixed:
            back = mixing.back(changed, product.result, mixing.queries)
            assert back is not None
            result = back
        self.lineage.mark(result, Mixed(call))
        return result

    # Other calls

    def _multi_head(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        training = named.get("training", arguments[13] if len(arguments) > 13 else True)
        self.slow_paths += not training and not torch.is_grad_enabled()
        return super()._multi_head(function, arguments, named)

    def unweighted(self) -> None:
        self._refuse(refusals.LINEAR)

    def fused(self, name: str) -> None:
        self._refuse(f"it is computed by {name}, a kernel that cannot be traced")

    def combined(self, first: Any, second: Any) -> None:
        combine(first, second)

    def joined(self, first: Any, second: Any) -> None:
        if isinstance(first, Mixed) and isinstance(second, Mixed):
            first.joined.append(second.call)

    def reduced(self, of: Any, sizes: list[int]) -> None:
        if isinstance(of, Mixed) and len(of.joined) > 1 and len(of.joined) in sizes:
            self.combined(of, Mixed(of.joined[-1]))

    def _refuse(self, reason: str, where: Where | None = None) -> None:
        where = where or self.frames.where("attention")
        if not self._has_own_taps(where):
            self.calls.append(Call(where, "", reason))

    def gate(self, gate: Gate, compute: Callable[[Tensor], Tensor]) -> Tensor:
        where = self.frames.where(gate.tap)
        path = tap_path(where.key, gate.tap)
        given = tensors_of(self.frames.arguments or ())
        if self._has_own_taps(where) or refusals.unusual((gate.operand,)) or not lies_on_a_picture(gate, given):
            return compute(gate.operand)
        shown = before = gate.shown
        for place, edit in enumerate(self.edits.get(path, ())):
            changed = edited(path, shown, tuple(gate.words.split()), {}, edit)
            if changed is not None:
                shown = changed
                self.used.add((path, place))
        edited_or_graph = path in self.edits or self.gradients
        result = compute(gate.back(shown) if edited_or_graph else gate.operand)
        kept = shown if self.gradients else shown.detach().clone()
        self.gates[path] = gate, kept, before.detach().clone() if path in self.edits else None
        return result

    def close(self) -> dict[str, Call]:
        """Release the pass and return its calls by the prefix of their tap paths."""
        self.frames.close()
        linear = {call.where.visited for call in self.calls if call.refused == refusals.LINEAR}
        for where in self.descent.unweighted(linear):
            if where.module is None or not refusals.carries_a_state(where.module):  # that is named by itself
                self._refuse(refusals.LINEAR, self.frames.counted("attention", where))
        for call in self.calls:
            if not call.refused and call.far is not None:
                error = float(call.far)
                if not error <= tolerance(call.dtype):
                    call.refused = refusals.far(error)
            if call.refused:
                call.kept.clear()
        return {call.where.key: call for call in self.calls}


def tap_path(key: str, tap: str) -> str:
    """Return the tap path of a call."""
    return f"{key}.{tap}" if key else tap

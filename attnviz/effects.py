"""Whether an edit reaches the answer: a value that a layer computes beside its own way can be changed without effect.

While the model runs, every operation is watched. The storage of an edited value is marked, and so is that of whatever
is computed from a marked one; in the end the model's output must be marked, too. An edited value that was marked once
need not be watched again, so only the first pass of a model with an edit of some tap is slower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

_known: WeakKeyDictionary[nn.Module, set[str]] = WeakKeyDictionary()  # models -> taps whose edits reach their answers

_aten = torch.ops.aten
_NUMBERS = (_aten._local_scalar_dense, _aten.item, _aten.is_nonzero, _aten.equal, _aten.allclose)
# What these give is a number in Python, which can go anywhere.


class Effects:
    """What becomes of values that are edited at some taps in the forward passes of a model, whose output is the
    answer.
    """

    def __init__(self, model: nn.Module, addresses: Iterable[str]) -> None:
        self._model = model
        self._known = _known.setdefault(model, set())
        self._open = set(addresses) - self._known
        self._edited: set[str] = set()
        self._marks: dict[int, tuple[StorageWeakRef, set[str]]] = {}  # the reference keeps the number from being reused
        self._has_answered = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch all operations of this thread inside the block, where there is something to find out."""
        if not self._open:
            yield
            return
        thread = get_ident()

        def answered(module: nn.Module, _: object, output: object) -> None:
            if module is not self._model:  # a copy that was made inside of the block
                forget = [key for key, hook in module._forward_hooks.items() if hook is answered]
                for key in forget:
                    del module._forward_hooks[key]
            elif get_ident() == thread:
                self._answer(output)

        handle = self._model.register_forward_hook(answered)
        try:
            with _Watch(self):
                yield
        finally:
            handle.remove()
            self._marks.clear()

    def edited(self, address: str, value: Tensor) -> None:
        """Note a value that the model goes on with after an edit."""
        if address in self._open:
            self._edited.add(address)
            self._mark(value, {address})

    def lost(self) -> list[str]:
        """Return the taps of which the answers of the model were computed without the edited value."""
        return sorted(self._edited & self._open) if self._has_answered else []

    def operation(self, func: Any, arguments: Sequence[Any], named: Mapping[str, Any], result: object) -> None:
        """Mark what an operation gave, or wrote into, if it was given something marked."""
        if not self._marks:
            return
        given = [*arguments, *named.values()]
        marks = self._of(given)
        if not marks:
            return
        if getattr(func, "overloadpacket", None) in _NUMBERS:
            self._reached(marks)
        for one in _tensors([result]):
            self._mark(one, marks)
        schema = getattr(func, "_schema", None)
        if schema is not None and schema.is_mutable:
            by_name = dict(zip((one.name for one in schema.arguments), arguments, strict=False)) | dict(named)
            written = [one.name for one in schema.arguments if one.alias_info is not None and one.alias_info.is_write]
            for one in _tensors([by_name.get(name) for name in written]):
                self._mark(one, marks)

    def _answer(self, output: object) -> None:
        self._has_answered = True
        leaves = tree_leaves(output)
        self._reached(self._of(leaves))
        if any(not isinstance(one, Tensor | int | float | str | None) for one in leaves):
            self._open.clear()  # it may hold anything

    def _reached(self, marks: set[str]) -> None:
        self._known |= marks
        self._open -= marks

    def _mark(self, value: Tensor, marks: set[str]) -> None:
        try:
            storage = value.untyped_storage()
        except (RuntimeError, NotImplementedError):  # of a sparse tensor, or one inside of torch.func
            self._open -= marks
            return
        kept = StorageWeakRef(storage)
        _, before = self._marks.setdefault(storage._cdata, (kept, set()))
        before |= marks

    def _of(self, values: Iterable[object]) -> set[str]:
        found: set[str] = set()
        for one in _tensors(values):
            try:
                mark = self._marks.get(one.untyped_storage()._cdata)
            except (RuntimeError, NotImplementedError):
                continue
            if mark is not None:
                found |= mark[1]
        return found


class _Watch(TorchDispatchMode):
    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else all of torch's compiler is imported, which takes seconds; nothing is compiled in here

    def __init__(self, effects: Effects) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._effects = effects

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self._effects.operation(func, args, kwargs or {}, result)
        return result


def _tensors(values: Iterable[object]) -> Iterator[Tensor]:
    for one in values:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, list | tuple):
            yield from _tensors(one)
        elif isinstance(one, Mapping):
            yield from _tensors(one.values())

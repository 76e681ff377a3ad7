"""Checks that a forward pass can be traced correctly: readings must be alive, and edits must reach the answer.

Torch has no public way to tell in what kind of pass a tap is reached. Whether an edit has an effect is determined by
watching every operation: the storage of an edited value is marked, and so is the storage of everything computed from a
marked value; in the end the model's output must be marked too. A tap whose edits are known to reach the output is not
watched again, so only the first pass with an edit of a tap is slower.
"""

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.autograd import function
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import checkpoint
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnviz.errors import TraceError

_CHECKPOINT = checkpoint.__file__
_APPLY = inspect.unwrap(function.Function.apply).__code__
_exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # torch 2.6 has only the latter


def check_recorded(path: str) -> None:
    """Refuse a pass that is recorded as a program, which would contain the edit permanently."""
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")  # imported only by a recording
    if _exporting() or torch._C._is_tracing() or (proxies is not None and proxies.get_proxy_mode() is not None):
        raise TraceError(
            f"{path} was reached while torch.export, torch.jit.trace or make_fx records the model. Do that outside "
            "of the block of the trace; the program that it makes has no taps."
        )


def check_repeated(path: str, outside: int, done: str = "edited", otherwise: str = "use torch.no_grad()") -> None:
    """Refuse to change a tap in a pass that an activation checkpoint will recompute for its gradients, or recomputes.

    Checkpoints are found among the functions that called the layer, as they leave no other trace: torch's non-reentrant
    checkpoint, and any autograd.Function, which includes reentrant ones. `outside` is the backward pass in which the
    trace was opened, from `backward`. In the message, `done` is what happens to the tap, and `otherwise` an alternative
    to turning the checkpoint off.
    """
    if backward() != outside:
        raise TraceError(
            f"{path} is {done} in a backward pass that was begun inside of the trace: an activation checkpoint "
            "recomputes a forward pass that ran without that, so that its gradients would be wrong. Call "
            "backward() outside of the block."
        )
    if any(_checkpoints()):
        raise TraceError(
            f"{path} is {done} inside of an activation checkpoint, which would recompute it without that, "
            f"so that the gradients would be wrong. Turn the checkpoint off, or {otherwise}."
        )


def check_alive(path: str, tensor: Tensor, outside: int, gradients: bool) -> None:
    """Refuse a reading inside a torch.vmap that began after the trace was opened, at the transform level `outside`, or
    one without gradients if `gradients` are asked for.
    """
    functorch, inner = torch._C._functorch, tensor
    while functorch.is_functorch_wrapped_tensor(inner):
        if functorch.is_batchedtensor(inner) and functorch.maybe_get_level(inner) > outside:
            raise TraceError(
                f"{path} was reached inside of torch.vmap, and its values end with it. Open the trace inside of the "
                "function that is mapped, and return what it keeps."
            )
        inner = functorch.get_unwrapped(inner)
    if gradients and not torch.is_grad_enabled():
        raise TraceError(
            f"{path} was computed without gradients, which gradients=True asks for. Run the model outside of "
            "torch.no_grad(), torch.inference_mode() and reentrant checkpoints."
        )


def backward() -> int:
    """Return the number of the running backward pass of this thread, or -1 if there is none."""
    return torch._C._current_graph_task_id()


def transforms() -> int:
    """Return the number of open torch.func transforms, such as vmap, in this thread."""
    return torch._C._functorch.maybe_current_level() or 0


def _checkpoints() -> Iterator[bool]:
    """Yield, for each checkpoint or autograd.Function that called the layer, whether it needs gradients."""
    frames, frame = [], sys._getframe(1).f_back
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    forwards = set()
    if any(one.f_code is _APPLY for one in frames):  # listing all functions takes longer than a small forward pass
        forwards = {getattr(inspect.unwrap(kind.forward), "__code__", None) for kind in _subclasses(function.Function)}
    for above in frames:
        code = above.f_code
        if code.co_name == "checkpoint" and code.co_filename == _CHECKPOINT:
            yield torch.is_grad_enabled()
        elif code in forwards:
            names, rest, _, values = inspect.getargvalues(above)
            given = [*(values[name] for name in names), *(values[rest] if rest else ())]
            if given and isinstance(given[0], function.FunctionCtx):
                yield any(getattr(given[0], "needs_input_grad", ()))
            else:  # with a setup_context, the forward pass does not get the context
                yield any(isinstance(one, Tensor) and one.requires_grad for one in given)


def _subclasses(kind: type[function.Function]) -> Iterator[type[function.Function]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


_known: WeakKeyDictionary[nn.Module, set[str]] = WeakKeyDictionary()  # model -> taps whose edits reach its answers

_aten = torch.ops.aten
_NUMBERS = (_aten._local_scalar_dense, _aten.item, _aten.is_nonzero, _aten.equal, _aten.allclose)
# These return a Python number, which cannot be followed.


class Effects:
    """Follows values edited at some taps through the forward passes of a model to its output, the answer."""

    def __init__(self, model: nn.Module, tap_paths: Iterable[str]) -> None:
        self._model = model
        self._known = _known.setdefault(model, set())
        self._open = set(tap_paths) - self._known
        self._edited: set[str] = set()
        self._marks: dict[int, tuple[StorageWeakRef, set[str]]] = {}  # the reference prevents the ID from being reused
        self._has_answered = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch all operations of this thread inside the block, unless all taps are known."""
        if not self._open:
            yield
            return
        thread = get_ident()

        def answered(module: nn.Module, _: object, output: object) -> None:
            if module is not self._model:  # a copy made inside the block
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

    def edited(self, path: str, value: Tensor) -> None:
        """Mark the value with which the model continues after an edit."""
        if path in self._open:
            self._edited.add(path)
            self._mark(value, {path})

    def lost(self) -> list[str]:
        """Return the taps whose edited values did not reach the model's answers."""
        return sorted(self._edited & self._open) if self._has_answered else []

    def operation(self, func: Any, arguments: Sequence[Any], named: Mapping[str, Any], result: object) -> None:
        """Mark the results of an operation and the arguments that it wrote to, if one of its inputs is marked."""
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
            self._open.clear()  # it may contain anything

    def _reached(self, marks: set[str]) -> None:
        self._known |= marks
        self._open -= marks

    def _mark(self, value: Tensor, marks: set[str]) -> None:
        try:
            storage = value.untyped_storage()
        except (RuntimeError, NotImplementedError):  # a sparse tensor, or one inside torch.func
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
        return False  # otherwise torch's compiler is imported, which takes seconds; nothing is compiled in here

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

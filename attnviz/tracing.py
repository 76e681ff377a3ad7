"""Taps, which make the inside of a model visible and editable while it runs.

    class Attention(Layer):
        taps = ("scores", "weights")
        def forward(self, tokens):
            weights = self.tap("weights", scores.softmax(-1), axes="batch head query key")   # use what it returns

    with trace(model, keep=["*.weights"], edits={"attention.scores": sharpen}) as seen:
        logits = model(images)
    seen["attention.weights"].at(batch=0, head=0)                                            # (query, key)

A tap path is the module's path in the model, a dot, and the tap's name. A tap that no trace reads or edits is the
identity. Traces are kept per thread, so that visitors who share a model do not affect each other.

A trace that would be wrong raises an error: an edit that does not reach the answer or that an activation checkpoint
would not repeat, values inside `torch.vmap`, or a pass recorded by `torch.export`. `DataParallel` is not supported: its
worker threads do not see the trace, which raises an error too.
"""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from typing import Any, ClassVar, ParamSpec

import torch
from torch import Tensor, nn

from attnviz.devices import twin_of
from attnviz.edits import Edit as Edit
from attnviz.errors import TraceError
from attnviz.listening import Edits as Edits
from attnviz.listening import Parts as Parts
from attnviz.listening import Trace as Trace
from attnviz.listening import Unread, names_of, parts_of
from attnviz.readings import Grid as Grid
from attnviz.readings import Reading as Reading

P = ParamSpec("P")
_INSIDE = "A trace cannot be opened inside of a function that torch compiles: open it around its call."


class _Listener(threading.local):
    trace: Trace | None

    def __init__(self) -> None:  # once per thread: a compiled graph would not guard on a class attribute
        self.trace = None


class _AsWritten:
    """Runs compiled models uncompiled while any trace is open: a compiled graph must not serve another trace.

    Torch has one such switch for all threads, so open traces are counted: the first sets it and the last resets it.
    """

    def __init__(self) -> None:
        self._lock, self._open = threading.Lock(), 0
        self._stance: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._stance is None and "torch._dynamo" in sys.modules:  # otherwise nothing has been compiled yet
                try:
                    self._stance = torch.compiler.set_stance("force_eager")
                except RuntimeError as error:  # raised only inside a compiled function
                    raise TraceError(_INSIDE) from error
            self._open += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._open -= 1
            if not self._open and self._stance is not None:
                self._stance.__exit__(None, None, None)
                self._stance = None


_listener = _Listener()
_as_written = _AsWritten()


class Layer(nn.Module):
    """A module with taps. A subclass lists their names in `taps`, in the order that its forward pass reaches them."""

    taps: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        names_of(cls)

    def __prepare_scriptable__(self) -> "Layer":  # called by torch.jit.script
        raise TraceError("torch.jit.script cannot compile taps: use torch.compile, or torch.export for a program.")

    def tap(self, name: str, tensor: Tensor, axes: str, per: str | None = None) -> Tensor:
        """Pass a tensor to the open trace, if any, and return it, edited if the trace edits this tap.

        Args:
            name: one of `taps`.
            tensor: the value at this point of the forward pass.
            axes: one word per axis, such as "batch head query key".
            per: the axis that counts the visits, such as "step", if one pass reaches the tap several times.

        Returns:
            A tensor of the same shape, dtype and device; the layer must continue with this one.
        """
        trace = _listener.trace
        return tensor if trace is None else trace._visit(self, name, tensor, axes, per)

    def hears(self, name: str) -> bool:
        """Return whether a trace keeps or edits this tap; if not, the layer need not compute its value."""
        trace = _listener.trace
        return trace is not None and trace._hears(self, name)


class Block(Unread, AbstractContextManager[Trace]):
    """A trace that is open during a `with` block."""

    _how = "A trace works inside of a `with` block: with attnviz.trace(model) as seen: model(batch)."

    def __init__(self, block: AbstractContextManager[Trace]) -> None:
        self._block = block

    def __enter__(self) -> Trace:
        return self._block.__enter__()

    def __exit__(self, *raised: Any) -> bool | None:
        return self._block.__exit__(*raised)


def _in_a_block(opened: Callable[P, Iterator[Trace]]) -> Callable[P, Block]:
    manager = contextmanager(opened)

    @wraps(opened)
    def made(*arguments: P.args, **named: P.kwargs) -> Block:
        if torch.compiler.is_compiling():
            raise TraceError(_INSIDE)
        return Block(manager(*arguments, **named))

    return made


@_in_a_block
def trace(
    model: nn.Module,
    keep: Sequence[str] | str | Parts = ("*",),
    edits: Edits | Sequence[Edits] | None = None,
    *,
    gradients: bool = False,
    capture: bool = False,
) -> Iterator[Trace]:
    """Keep and edit the values of a model's taps during the forward pass inside the block.

    Args:
        model: any module. A compiled module runs uncompiled while any trace is open. The attention of modules without
            taps is captured (see `attnviz.watch`) if a path begins with such a module or if the model has no taps.
        keep: tap paths, in which * matches any part; an empty list only edits. Or tap path -> the part to keep in
            memory, such as {"attention.weights": {"head": 3}} or {"head": range(4)}. If several paths match the same
            tap, the last one counts.
        edits: tap path, in which * matches any part -> one or several of `attnviz.edits`, or a function from a tensor
            to a tensor of the same shape, dtype and device; or several such mappings.
        gradients: whether to keep the graph, so that readings can be differentiated; otherwise they are detached.
        capture: whether patterns match captured calls too, even if they match taps.

    Returns:
        The readings by tap path; they are available once the block has ended.

    Raises:
        TraceError: a name matches nothing, an edit was not used or does not reach the answer, a pass reached no tap, a
            value was changed in place afterwards, or a value is dead or has no gradients because it was reached inside
            torch.vmap, torch.export or an activation checkpoint.
    """
    parts = parts_of(keep)
    if not isinstance(model, nn.Module):
        raise TraceError(f"A trace is opened for a torch module, not for a {type(model).__name__}.")
    layers: dict[nn.Module, str] = {layer: path for path, layer in _layers(model)}
    away: dict[nn.Module, str] = {layer: path for path, layer in _layers_of_twins(model)}
    with _as_written:  # readings are made uncompiled too
        opened = Trace(model, layers, away, parts, edits or {}, gradients, capture, Layer)
        listening = opened._captured.mode if opened._captured is not None else nullcontext()
        with opened._effects.watched(), listening:
            opened._outer, _listener.trace = _listener.trace, opened
            try:
                yield opened
            finally:
                _listener.trace = opened._outer
    opened._close()


def tap_paths(model: nn.Module, example: Tensor) -> dict[str, tuple[tuple[str, ...], tuple[int, ...]]]:
    """Return the taps of a model as tap path -> (axes, shape), in the order of the forward pass.

    Args:
        model: any module with taps.
        example: a batch that the model takes.
    """
    with torch.no_grad(), trace(model) as seen:
        model(example)
    return {path: (reading.axes, tuple(reading.tensor.shape)) for path, reading in seen.items()}


def _layers(model: nn.Module) -> Iterator[tuple[str, Layer]]:
    for path, module in model.named_modules():
        if isinstance(module, Layer):
            words = path.split(".")
            yield ".".join(word for word in words if word != "_orig_mod"), module  # the wrapper of torch.compile


def _layers_of_twins(model: nn.Module) -> Iterator[tuple[str, Layer]]:
    """Yield the layers that compute on a device in place of a model's own, with the paths of the model's layers."""
    for path, module in model.named_modules():
        if twin := twin_of(module):
            for inner, layer in _layers(twin):
                yield ".".join(word for word in (path, inner) if word), layer

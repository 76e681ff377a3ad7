"""Find the module that makes a call: the first `self` among the Python frames that is a module of the model.

Frames need no hooks, leave the model unchanged, and always belong to one thread.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from torch import Tensor, nn

from attnviz.devices import twin_of

_CALLS = ("_call_impl", "_wrapped_call_impl")  # methods of nn.Module that never rebind their arguments


@dataclass(frozen=True)
class Where:
    """The module that makes a call, and the number of the call.

    Args:
        path: the module's path in the model; "" for the model itself.
        visit: the number of earlier entries into the module.
        number: the number of earlier calls by the module, in this visit and previous ones.
        module: the module that makes the call; None outside of the model.
        given: the tensors that the module was called with.
    """

    path: str
    visit: int
    number: int
    module: nn.Module | None
    given: tuple[Tensor, ...] = ()

    @property
    def key(self) -> str:
        """The prefix of the call's tap paths: the module's path, with @1 for its second call."""
        return f"{self.path}@{self.number}" if self.number else self.path

    @property
    def visited(self) -> tuple[str, int]:
        """What one layer's calls have in common: the module's path and its visit."""
        return self.path, self.visit

    @property
    def said(self) -> str:
        """A description of the call in words."""
        return self.key or "the model itself"


class Frames:
    """Tracks the modules of a model to which the frames of one thread belong."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        self._modules = dict(_named(model))
        self._twins = self._modules.keys() - set(model.modules())
        self._open: dict[str, FrameType] = {}
        self._visits: Counter[str] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()

    def where(self, kind: str) -> Where:
        """Count a call of this kind, and return the module that makes it."""
        stack = list(_up(sys._getframe(1)))
        if self.arguments is None:
            self.arguments = next((_call(frame) for frame in stack if _calls(frame, self.model)), None)
        self._open = {path: frame for path, frame in self._open.items() if frame in stack}
        frame = next((one for one in stack if self._module(one) is not None), stack[-1])
        module = self._module(frame)
        path = "" if module is None else self._modules[module]
        called = next((above for above in stack if _calls(above, module)), None)
        frame = called or frame  # one visit, whichever of the module's methods makes the calls
        if self._open.get(path) is not frame:
            self._open[path] = frame
            self._visits[path] += 1
        given = _call(called) if called else ((), {})
        tensors = tuple(one for one in (*given[0], *given[1].values()) if isinstance(one, Tensor))
        return self.counted(kind, Where(path, self._visits[path] - 1, 0, module, tensors))

    def counted(self, kind: str, where: Where) -> Where:
        """Count a further call of this kind by the same module."""
        self._calls[kind, where.path] += 1
        return replace(where, number=self._calls[kind, where.path] - 1)

    def _module(self, frame: FrameType) -> nn.Module | None:
        module = frame.f_locals.get("self")
        if not isinstance(module, nn.Module) or module not in self._modules or _is_operation(module):
            return None
        return module

    @property
    def held(self) -> set[int]:
        """The ids of the tensors that the model holds."""
        held = (one for module in self._modules for one in vars(module).values())  # with its parameters, a dictionary
        each = (one for value in held for one in (value.values() if isinstance(value, dict) else (value,)))
        return {id(one) for one in each if isinstance(one, Tensor)}

    def away(self, module: nn.Module | None) -> bool:
        """Return whether a module is a copy on a device of one of the model's modules."""
        return module in self._twins

    def close(self) -> None:
        """Release the frames, which keep the local variables of their functions alive."""
        self._open.clear()

    @property
    def batches(self) -> list[int]:
        """The possible batch sizes: first that of the pictures, then those of the model's other inputs."""
        tensors = tensors_of(self.arguments or ())
        ordered = sorted(tensors, key=lambda one: one.ndim not in (4, 5))
        return list(dict.fromkeys(one.shape[0] for one in ordered if one.ndim > 1))


def _is_operation(module: nn.Module) -> bool:
    """Return whether a module is just a torch operation, such as nn.Softmax, used by the module around it."""
    return type(module).__module__.startswith("torch.nn.modules.") and next(module.children(), None) is None


def tensors_of(value: Any) -> list[Tensor]:
    """Return the tensors in the arguments of a call, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [one for part in value for one in tensors_of(part)] if isinstance(value, tuple | list) else []


def _up(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _calls(frame: FrameType, module: nn.Module | None) -> bool:
    """Return whether a frame is torch's call of a module."""
    return frame.f_code.co_name in _CALLS and module is not None and frame.f_locals.get("self") is module


def _call(frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return frame.f_locals.get("args", ()), frame.f_locals.get("kwargs", {})


def _named(model: nn.Module) -> Iterator[tuple[nn.Module, str]]:
    for path, module in model.named_modules():
        path = ".".join(word for word in path.split(".") if word != "_orig_mod")  # added by torch.compile
        yield module, path
        if twin := twin_of(module):
            for inner, part in twin.named_modules():
                yield part, ".".join(word for word in (path, inner) if word)

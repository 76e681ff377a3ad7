"""Look into `nn.MultiheadAttention`, which torch hands to a function mode as a whole."""

from collections.abc import Callable
from types import FunctionType
from typing import Any


def opened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of an overridable torch function, written in Python, that is never handed to a mode as a whole.

    An active function mode receives `torch.nn.functional.multi_head_attention_forward` as a whole, and is switched off
    inside. The globals of the copy report that nothing overrides it. It computes the same, operation by operation, so
    that the attention of `nn.MultiheadAttention` is seen. No global of torch is changed.
    """
    assert isinstance(function, FunctionType)
    names = {name: _never for name in function.__globals__ if name.startswith("has_torch_function")}
    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _never(*_: Any) -> bool:
    return False

"""`nn.MultiheadAttention`, opened up, so that the attention inside it is seen.

`F.multi_head_attention_forward` is itself overridable: an active function mode receives it as a whole, with the mode
switched off inside. A copy of the function, whose globals say that nothing overrides it, computes the same, operation
by operation, and no global of torch is changed.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any


def opened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of an overridable function of torch that never hands itself over to a mode.

    Args:
        function: written in Python, such as `torch.nn.functional.multi_head_attention_forward`.
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

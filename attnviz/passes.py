"""In what kind of forward pass a tap is reached: some would give readings that are dead, or false gradients.

Torch has no public way to ask for most of this.
"""

import sys
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils import checkpoint

from attnviz.errors import TraceError

_CHECKPOINT = checkpoint.__file__
_exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # torch 2.6 asks only the latter


def check_recorded(address: str) -> None:
    """Refuse a pass that torch.export or torch.jit.trace records: what is edited now would stay so for ever."""
    if _exporting() or torch._C._is_tracing():
        raise TraceError(
            f"{address} was reached while torch.export or torch.jit.trace records the model. Do that outside of the "
            "block of the trace; the program that it makes has no taps."
        )


def check_repeated(address: str) -> None:
    """Refuse an edit in a pass that an activation checkpoint will compute again for its gradients.

    It goes by the functions that have called the layer, as checkpoints leave no other trace: those of torch that are
    not reentrant, and any autograd.Function, which reentrant ones are.
    """
    if any(
        torch.is_grad_enabled() if ctx is None else any(getattr(ctx, "needs_input_grad", ())) for ctx in _checkpoints()
    ):
        raise TraceError(
            f"{address} is edited inside of an activation checkpoint, which would compute it again without the edit, "
            "so that the gradients would be false. Turn the checkpoint off, or use torch.no_grad()."
        )


def check_alive(address: str, tensor: Tensor, outside: int, gradients: bool) -> None:
    """Refuse a reading that ends with a torch.vmap, or that has no gradients though they are asked for.

    Args:
        address, tensor: of the reading.
        outside: so many transforms of torch.func were begun before the trace.
        gradients: whether they are asked for.
    """
    functorch, inner = torch._C._functorch, tensor
    while functorch.is_functorch_wrapped_tensor(inner):
        if functorch.is_batchedtensor(inner) and functorch.maybe_get_level(inner) > outside:
            raise TraceError(
                f"{address} was reached inside of torch.vmap, and its values end with it. Open the trace inside of the "
                "function that is mapped, and return what it keeps."
            )
        inner = functorch.get_unwrapped(inner)
    if gradients and not torch.is_grad_enabled():
        raise TraceError(
            f"{address} was computed without gradients, which gradients=True asks for. Run the model outside of "
            "torch.no_grad(), torch.inference_mode() and reentrant checkpoints."
        )


def backward() -> int:
    """Return the number of the backward pass that is under way in this thread; -1 outside of one."""
    return torch._C._current_graph_task_id()


def transforms() -> int:
    """Return how many transforms of torch.func, such as vmap, have begun and not ended in this thread."""
    return torch._C._functorch.maybe_current_level() or 0


def _checkpoints() -> Iterator[object]:
    """Yield the context of each autograd.Function whose forward has called the layer, None for another checkpoint."""
    frame = sys._getframe(1)
    while (above := frame.f_back) is not None:
        code = above.f_code
        if code.co_name == "forward" and code.co_varnames[:1] == ("ctx",):
            yield above.f_locals["ctx"]
        elif code.co_name == "checkpoint" and code.co_filename == _CHECKPOINT:
            yield None
        frame = above

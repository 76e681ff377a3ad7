"""In what kind of forward pass a tap is reached: some would give readings that are dead, or false gradients.

Torch has no public way to ask for most of this.
"""

import inspect
import sys
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.autograd import function
from torch.utils import checkpoint

from attnviz.errors import TraceError

_CHECKPOINT = checkpoint.__file__
_exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # torch 2.6 asks only the latter


def check_recorded(address: str) -> None:
    """Refuse a pass that is recorded as a program: what is edited now would stay so for ever."""
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")  # which only a recording imports
    if _exporting() or torch._C._is_tracing() or (proxies is not None and proxies.get_proxy_mode() is not None):
        raise TraceError(
            f"{address} was reached while torch.export, torch.jit.trace or make_fx records the model. Do that outside "
            "of the block of the trace; the program that it makes has no taps."
        )


def check_repeated(address: str, outside: int, done: str = "edited", otherwise: str = "use torch.no_grad()") -> None:
    """Refuse a change of a tap in a pass that an activation checkpoint will compute again for its gradients, or
    computes again.

    The first goes by the functions that have called the layer, as checkpoints leave no other trace: those of torch that
    are not reentrant, and any autograd.Function, which reentrant ones are. `outside` is the backward pass in which the
    trace was opened, as `backward` returns it; the sentence says what is done, and what can be done beside turning the
    checkpoint off.
    """
    if backward() != outside:
        raise TraceError(
            f"{address} is {done} in a backward pass that was begun inside of the trace: an activation checkpoint "
            "computes a forward pass again that was without that, so that its gradients would be false. Call "
            "backward() outside of the block."
        )
    if any(_checkpoints()):
        raise TraceError(
            f"{address} is {done} inside of an activation checkpoint, which would compute it again without that, "
            f"so that the gradients would be false. Turn the checkpoint off, or {otherwise}."
        )


def check_alive(address: str, tensor: Tensor, outside: int, gradients: bool) -> None:
    """Refuse a reading that ends with a torch.vmap, begun since the trace was opened inside of so many transforms, or
    that has no gradients though they are asked for.
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


def _checkpoints() -> Iterator[bool]:
    """Yield whether gradients are asked for of each checkpoint, or autograd.Function, that has called the layer."""
    forwards = {getattr(inspect.unwrap(kind.forward), "__code__", None) for kind in _subclasses(function.Function)}
    frame = sys._getframe(1)
    while (above := frame.f_back) is not None:
        code = above.f_code
        if code.co_name == "checkpoint" and code.co_filename == _CHECKPOINT:
            yield torch.is_grad_enabled()
        elif code in forwards:
            names, rest, _, values = inspect.getargvalues(above)
            given = [*(values[name] for name in names), *(values[rest] if rest else ())]
            if given and isinstance(given[0], function.FunctionCtx):
                yield any(getattr(given[0], "needs_input_grad", ()))
            else:  # where there is a setup_context, the forward pass is not given the context
                yield any(isinstance(one, Tensor) and one.requires_grad for one in given)
        frame = above


def _subclasses(kind: type[function.Function]) -> Iterator[type[function.Function]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)

"""Whether a layer may compute its numbers by a faster path: only if no derivative is taken through it.

A shortcut that counts, sorts or compares values gives the same output as the full computation, but not the same
derivative, because equal tokens may move apart. A layer with a shortcut therefore checks here first.
"""

import torch
from torch import Tensor
from torch.autograd import forward_ad


def differentiated(*tensors: Tensor) -> bool:
    """Return whether a derivative may be taken with respect to any of these tensors, forward or backward.

    Tensors inside `torch.func` transforms do not show whether they require a gradient, so all of them count.

    Args:
        tensors: the inputs of the shortcut.

    Returns:
        True if one of them requires a gradient, has a tangent, or is inside a transform.
    """
    return transformed(*tensors) or any(tensor.requires_grad for tensor in tensors)


def transformed(*tensors: Tensor) -> bool:
    """Return whether any of these tensors is inside a `torch.func` transform (grad, jvp, vmap, ...) or has a tangent.

    Under vmap their values cannot be compared, and fused kernels do not support forward mode.

    Args:
        tensors: the inputs of the shortcut.

    Returns:
        True if one of them has a tangent or is inside a transform.
    """
    if torch.compiler.is_compiling():
        return False
    if torch._C._functorch.peek_interpreter_stack() is None and forward_ad._current_level < 0:
        return False  # no transform is active and there are no tangents, as in nearly every pass
    return any(
        torch._C._functorch.is_functorch_wrapped_tensor(tensor) or forward_ad.unpack_dual(tensor).tangent is not None
        for tensor in tensors
    )

"""When a layer may take a quicker path to the same numbers: never where a derivative is taken through it.

A shortcut that counts, sorts or compares values gives the same output as the layer spelled out, but not the same
derivative: equal tokens may move apart. So a layer with a shortcut asks here first.
"""

import torch
from torch import Tensor
from torch.autograd import forward_ad


def differentiated(*tensors: Tensor) -> bool:
    """Return whether a derivative may be taken with respect to any of these, forward or backward.

    Tensors inside `torch.func` transforms do not say that they require a gradient, so all of those count.

    Args:
        tensors: what the shortcut would compute from.

    Returns:
        True if one of them requires a gradient, has a tangent, or is inside a transform.
    """
    return transformed(*tensors) or any(tensor.requires_grad for tensor in tensors)


def transformed(*tensors: Tensor) -> bool:
    """Return whether any of these is inside a `torch.func` transform (grad, jvp, vmap, ...) or has a tangent.

    Their values cannot be compared under vmap, and fused kernels know no forward mode.

    Args:
        tensors: what the shortcut would compute from.

    Returns:
        True if one of them has a tangent or is inside a transform.
    """
    if torch.compiler.is_compiling():
        return False
    if torch._C._functorch.peek_interpreter_stack() is None and forward_ad._current_level < 0:
        return False  # no transform is open and there are no tangents, as in nearly every pass
    return any(
        torch._C._functorch.is_functorch_wrapped_tensor(tensor) or forward_ad.unpack_dual(tensor).tangent is not None
        for tensor in tensors
    )

"""When a layer may take a quicker path to the same numbers: never where a derivative is taken through it.

A shortcut that counts, sorts or compares values gives the same output as the layer spelled out, but not the same
derivative: equal tokens may move apart. So a layer with a shortcut asks here first.
"""

import torch
from torch import Tensor
from torch.autograd import forward_ad


def differentiated(*tensors: Tensor) -> bool:
    """Return whether a derivative may be taken, forward or backward, with respect to any of the tensors that a shortcut
    would compute from.

    Tensors inside `torch.func` transforms do not say that they require a gradient, so all of those count.
    """
    return transformed(*tensors) or any(tensor.requires_grad for tensor in tensors)


def transformed(*tensors: Tensor) -> bool:
    """Return whether any of the tensors that a shortcut would compute from is inside a `torch.func` transform (grad,
    jvp, vmap, ...) or has a tangent.

    Their values cannot be compared under vmap, and fused kernels know no forward mode.
    """
    if torch.compiler.is_compiling():
        return False
    if torch._C._functorch.peek_interpreter_stack() is None and forward_ad._current_level < 0:
        return False  # no transform is open and there are no tangents, as in nearly every pass
    return any(
        torch._C._functorch.is_functorch_wrapped_tensor(tensor) or forward_ad.unpack_dual(tensor).tangent is not None
        for tensor in tensors
    )

"""The range of the pictures that models take: without it, pictures in 0..255 would get wrong answers and no error."""

from typing import Any

import torch
from torch import Tensor

from attnviz.errors import BadInput

_SLACK = 1e-3  # of what a resampling, or a step in a numerical derivative, may exceed the range by


def check(images: Tensor) -> None:
    """Refuse pictures whose intensities do not lie in 0..1.

    Values can only be looked at where there are some: not where torch compiles or records the pass. On a GPU it would
    have to be waited for, so in training, which makes its pictures itself, they are looked at on the CPU alone.

    Raises:
        BadInput: an intensity lies outside, or is not a number; says which range was given.
    """
    if torch.compiler.is_compiling() or torch._C._is_tracing():
        return
    while torch._C._functorch.is_functorch_wrapped_tensor(images):  # by vmap, grad and their like
        images = torch._C._functorch.get_unwrapped(images)
    if type(images).__torch_dispatch__ is not Tensor.__torch_dispatch__:  # it may stand for values that are not there
        return
    if images.is_meta or not images.numel() or (images.is_cuda and torch.is_grad_enabled()):
        return
    low, high = map(float, images.detach().as_subclass(Tensor).aminmax())
    if not (low >= -_SLACK and high <= 1 + _SLACK):
        raise BadInput(
            f"This model takes intensities in 0..1, not in {low:.4g}..{high:.4g}. "
            "Divide those of 8-bit pictures by 255; the model standardises them itself."
        )


def described(images: Any) -> str:
    """Return the kind of what was given as pictures, such as "uint8 of shape (2, 1, 28, 28)"."""
    if not isinstance(images, Tensor):
        return f"a {type(images).__name__}: make a tensor of it"
    return f"{str(images.dtype).removeprefix('torch.')} of shape {tuple(images.shape)}"

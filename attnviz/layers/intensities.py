"""The range of the pictures that models take: without it, pictures in 0..255 would get wrong answers and no error."""

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput

_SLACK = 1e-3  # of what a resampling, or a step in a numerical derivative, may exceed the range by


def check(images: Tensor) -> None:
    """Refuse pictures whose intensities do not lie in 0..1.

    Values can only be looked at where there are some: not where torch compiles, records or transforms the pass. On a
    GPU it would have to be waited for, so in training, which makes its pictures itself, they are looked at on the CPU
    alone.

    Raises:
        BadInput: an intensity lies outside, or is not a number; says which range was given.
    """
    if torch.compiler.is_compiling() or torch._C._is_tracing():
        return
    if type(images) not in (Tensor, nn.Parameter) or torch._C._functorch.is_functorch_wrapped_tensor(images):
        return
    if images.is_meta or not images.numel() or (images.is_cuda and torch.is_grad_enabled()):
        return
    low, high = map(float, images.detach().aminmax())
    if not (low >= -_SLACK and high <= 1 + _SLACK):
        raise BadInput(
            f"This model takes intensities in 0..1, not in {low:.4g}..{high:.4g}. "
            "Divide those of 8-bit pictures by 255; the model standardises them itself."
        )

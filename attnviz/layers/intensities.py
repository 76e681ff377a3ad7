"""The range of the pictures that models take: without it, pictures in 0..255 would get wrong answers and no error."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.torch_version import TorchVersion

from attnviz.errors import BadInput

_SLACK = 1e-3  # of what a resampling, or a step in a numerical derivative, may exceed the range by
_RANGE = "This model takes intensities in 0..1"
_DIVIDE = "Divide those of 8-bit pictures by 255; the model standardises them itself."
_CAN_ASSERT = TorchVersion(torch.__version__) >= "2.13"  # in a compiled graph; tried with no earlier one


def check(model: nn.Module, images: Tensor) -> None:
    """Refuse a batch without pictures, of another precision or on another device than a model's weights, and pictures
    whose intensities do not lie in 0..1.

    A graph that torch compiles or exports looks at them itself, where it runs on the CPU and not inside of torch.vmap;
    a program of torch.jit.trace does not. On a GPU they would have to be waited for, so training, which makes its
    pictures itself, looks at them on the CPU alone.

    Args:
        model: with the weights.
        images: as `is_dense`.

    Raises:
        BadInput: says what was given, and what to do. A compiled graph raises a RuntimeError.
    """
    if torch.compiler.is_compiling():
        if _CAN_ASSERT and images.device.type == "cpu" and not torch._C._functorch.is_batchedtensor(images):
            inside = ((images >= -_SLACK) & (images <= 1 + _SLACK)).all()
            torch._assert_async(inside, f"{_RANGE}, and these lie outside. {_DIVIDE}")
        return
    if torch._C._is_tracing():
        return
    _check_fit(model, images)
    while torch._C._functorch.is_functorch_wrapped_tensor(images):  # by vmap, grad and their like
        images = torch._C._functorch.get_unwrapped(images)
    if type(images).__torch_dispatch__ is not Tensor.__torch_dispatch__:  # it may stand for values that are not there
        return
    if images.is_meta or (images.is_cuda and model.training):
        return
    low, high = map(float, images.detach().as_subclass(Tensor).aminmax())
    if not (low >= -_SLACK and high <= 1 + _SLACK):
        raise BadInput(f"{_RANGE}, not in {low:.4g}..{high:.4g}. {_DIVIDE}")


def _check_fit(model: nn.Module, images: Tensor) -> None:
    """Refuse what torch would refuse in the middle of the model, in words of its own, or what gives no logits."""
    if not images.numel():
        raise BadInput(f"This model takes at least one picture, not a batch of shape {tuple(images.shape)}.")
    weight = next(model.parameters(), None)
    if weight is None:
        return
    if images.device != weight.device:
        raise BadInput(
            f"The model is on {weight.device}, and the pictures are on {images.device}: "
            f"give it images.to({str(weight.device)!r})."
        )
    wide = torch.float64 in (images.dtype, weight.dtype)
    if images.dtype != weight.dtype and (wide or not torch.is_autocast_enabled(images.device.type)):
        here, there = (str(one.dtype).removeprefix("torch.") for one in (weight, images))
        raise BadInput(
            f"The model computes in {here}, and the pictures are {there}: give it images.to(torch.{here}), or use "
            f"model.to(torch.{there})."
        )


def is_dense(images: Any) -> bool:
    """Return whether something is a tensor with a value at every place: neither nested nor sparse."""
    return isinstance(images, Tensor) and not images.is_nested and images.layout == torch.strided


def described(images: Any) -> str:
    """Return the kind of what was given as pictures, such as "uint8 of shape (2, 1, 28, 28)"."""
    if not isinstance(images, Tensor):
        return f"a {type(images).__name__}: make a tensor of it"
    if images.is_nested:
        return "a nested tensor: stack its pictures"
    if not is_dense(images):
        return f"a tensor of layout {images.layout}: give it images.to_dense()"
    return f"{str(images.dtype).removeprefix('torch.')} of shape {tuple(images.shape)}"

"""Checks of the pictures that models receive. Otherwise, pictures in 0..255 would give wrong answers and no error."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.torch_version import TorchVersion

from attnviz.errors import BadInput

_SLACK = 1e-3  # tolerance for values beyond the range, from resampling or a step of a numerical derivative
_RANGE = "This model takes intensities in 0..1"
_DIVIDE = "Divide those of 8-bit pictures by 255; the model standardises them itself."
_CAN_ASSERT = TorchVersion(torch.__version__) >= "2.13"  # in a compiled graph; not tested with earlier versions


def check(model: nn.Module, images: Tensor) -> None:
    """Refuse an empty batch, pictures whose precision or device differs from that of the model's weights, and pictures
    whose intensities lie outside 0..1.

    A compiled or exported graph checks the intensities itself, if it runs on the CPU outside torch.vmap; a program made
    by torch.jit.trace does not. On a GPU the check would have to wait for the device, so training, which makes its own
    pictures, checks them on the CPU only.

    Args:
        model: the model that receives the pictures.
        images: a dense tensor, see `is_dense`.

    Raises:
        BadInput: with what was given and what to do. A compiled graph raises a RuntimeError.
    """
    if torch.compiler.is_compiling():
        if _CAN_ASSERT and images.device.type == "cpu" and not torch._C._functorch.is_batchedtensor(images):
            inside = ((images >= -_SLACK) & (images <= 1 + _SLACK)).all()
            torch._assert_async(inside, f"{_RANGE}, and these lie outside. {_DIVIDE}")
        return
    if torch._C._is_tracing():
        return
    _check_fit(model, images)
    while torch._C._functorch.is_functorch_wrapped_tensor(images):  # by vmap, grad and similar transforms
        images = torch._C._functorch.get_unwrapped(images)
    if type(images).__torch_dispatch__ is not Tensor.__torch_dispatch__:  # its values may not exist
        return
    if images.is_meta or (images.is_cuda and model.training):
        return
    low, high = map(float, images.detach().as_subclass(Tensor).aminmax())
    if not (low >= -_SLACK and high <= 1 + _SLACK):
        raise BadInput(f"{_RANGE}, not in {low:.4g}..{high:.4g}. {_DIVIDE}")


def _check_fit(model: nn.Module, images: Tensor) -> None:
    """Refuse what torch would refuse deep inside the model with a less helpful message, or what gives no logits."""
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
    """Return whether the argument is a tensor with a value at every position: neither nested nor sparse."""
    return isinstance(images, Tensor) and not images.is_nested and images.layout == torch.strided


def described(images: Any) -> str:
    """Return a description of an argument given as pictures, such as "uint8 of shape (2, 1, 28, 28)"."""
    if not isinstance(images, Tensor):
        return f"a {type(images).__name__}: make a tensor of it"
    if images.is_nested:
        return "a nested tensor: stack its pictures"
    if not is_dense(images):
        return f"a tensor of layout {images.layout}: give it images.to_dense()"
    return f"{str(images.dtype).removeprefix('torch.')} of shape {tuple(images.shape)}"

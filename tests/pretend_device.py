"""A device that is none: its tensors compute on the CPU, but refuse to meet those that were not copied to it.

Torch has no second device on a machine without a GPU. This one calls itself "meta", the only other device that torch
knows everywhere; its tensors have values all the same.

    with pretend_device() as device:
        model.to(device.name)
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map

NAME = "meta"
INDEXED = ("aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::index.Tensor")
COPIES = ("aten::_to_copy", "aten::copy_")
ANSWERS = ("aten::_local_scalar_dense", "aten::equal", "aten::nonzero", "aten::_unique2", "aten::unique_dim")


class Away(Tensor):
    """A tensor of the pretended device, around one of the CPU that has its values."""

    held: Tensor

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, strides=inner.stride(), storage_offset=inner.storage_offset(), dtype=inner.dtype,
            device=NAME, requires_grad=inner.requires_grad,
        )  # fmt: skip

    def __init__(self, inner):
        self.held = inner

    def __repr__(self, *, tensor_contents=None):
        return f"Away({self.held!r})"

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), named=None):  # type: ignore[override]
        return computed(function, arguments, named or {})


class Device(TorchDispatchMode):
    """The pretended device while it can be used; `count` says how many operations it has done, and `waits` lists those
    for which the CPU would wait until a real one has done all that it was given: copies and what asks for values."""

    name = NAME
    count = 0

    def __init__(self):
        super().__init__()
        self.waits: list[str] = []

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        named = named or {}
        tensors = [one for one in tree_flatten((arguments, named))[0] if isinstance(one, Tensor)]
        away = any(isinstance(one, Away) for one in tensors)
        meant = named.get("device")
        if not away and (meant is None or torch.device(meant).type != NAME):
            return function(*arguments, **named)
        self.count += 1
        name, goes_to = function._schema.name, "cpu" if meant is None else torch.device(meant).type
        masks = name in INDEXED and any(one.dtype in (torch.bool, torch.uint8) for one in tensors[1:])
        copied = name in COPIES and (goes_to != NAME if away and meant is not None else not all(map(_is_away, tensors)))
        if name in ANSWERS or masks or copied:
            self.waits.append(name)
        return computed(function, arguments, named)


def _is_away(tensor):
    return isinstance(tensor, Away)


def computed(function, arguments, named):
    """Do an operation with the inner tensors, unless some of them are on the CPU."""
    name = function._schema.name
    if "device" in named and named["device"] is not None:
        goes_away = torch.device(named["device"]).type == NAME
        named = {**named, "device": "cpu"}
    else:
        goes_away = True
    flat, _ = tree_flatten((arguments, named))
    tensors = [one for one in flat if isinstance(one, Tensor)]
    stays = [one for one in tensors if not isinstance(one, Away) and one.ndim]
    if stays and len(stays) < len(tensors) and name not in COPIES:
        allowed = name in INDEXED and isinstance(arguments[0], Away)
        if not allowed:
            raise RuntimeError(f"Expected all tensors to be on the same device: {function} met one of the CPU.")
    inner = lambda value: value.held if isinstance(value, Away) else value  # noqa: E731
    found = function(*tree_map(inner, arguments), **tree_map(inner, named))
    if goes_away:
        found = tree_map(lambda value: Away(value) if isinstance(value, Tensor) else value, found)
    if any(isinstance(one, Away) for one in tensors) and not name.startswith(COPIES):
        return return_and_correct_aliasing(function, arguments, named, found)
    return found


@contextmanager
def pretend_device() -> Iterator[Device]:
    """Make the pretended device usable in this thread."""
    with Device() as device:
        yield device

"""Edits: the changes that can be made to a value inside a model. There are four: scale, set_value, off, uniform.

    with trace(model, edits={"attention.mixed": off(head=3)}):                     # switch a head off
    with trace(model, edits={"features.gate": scale(2, channel=[0, 5])}):          # turn two gates up
    with trace(model, edits=uniform("attention.mixed", head=3)):                   # let a head attend to all equally
    with trace(model, edits=together({"attention.mixed": off(head=3)}, uniform("attention.mixed", head=4))):

An index selects a part by the tap's axes: one or several numbers per axis, counted from 0. An axis that is not named is
selected whole. A tap reached several times in one pass also has an axis that counts its visits:
`set_value([0.5, 0.5], glimpse=2)`.

A head is switched off, or made uniform, after its values have been mixed, so that the layer can stay on its fused path,
which never computes the weights. A test checks that both equal the same edit of the weights.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, overload

import torch
from torch import Tensor

from attnviz.errors import BadInput, TraceError, closest

Places = int | Sequence[int]
Values = Callable[[str, Tensor, tuple[str, ...]], Tensor]


@dataclass(frozen=True)
class Change:
    """An edit that knows axes: the part selected by `index` (axis -> indices; other axes are whole) gets new values,
    which a function makes from the tap path, the tensor and its axes and which broadcast to the tensor.
    """

    values: Values
    index: Mapping[str, tuple[int, ...]]

    def __call__(self, path: str, tensor: Tensor, axes: tuple[str, ...], visit: Mapping[str, int]) -> Tensor | None:
        """Return the changed tensor, or None if the edit is for another visit."""
        meant = torch.ones((), dtype=torch.bool, device=tensor.device)
        for axis, places in self.index.items():
            if axis in visit:
                if visit[axis] not in places:
                    return None
                continue
            if axis not in axes:
                raise TraceError(f"{path} has no axis {axis!r}. {closest(axis, (*axes, *visit))}")
            size = tensor.shape[axes.index(axis)]
            if max(places) >= size:
                raise TraceError(f"{path} has no {axis} {max(places)}; there are {size}, counted from 0.")
            chosen = torch.tensor([place in places for place in range(size)]).to(tensor.device)
            meant = meant & chosen.view([-1 if word == axis else 1 for word in axes])
        return torch.where(meant, self.values(path, tensor, axes), tensor)


class Look:
    """An edit that changes nothing, but stores the mean over the tokens for a later edit in the same pass."""

    mean: Tensor

    def __call__(self, path: str, tensor: Tensor, axes: tuple[str, ...], visit: Mapping[str, int]) -> Tensor:
        """Return the tensor unchanged."""
        self.mean = tensor.mean(axes.index("token"), keepdim=True)
        return tensor


Edit = Callable[[Tensor], Tensor] | Change | Look


def scale(factor: float, /, **index: Places) -> Change:
    """Multiply a part by a number: 0 switches it off, 1 changes nothing.

    Raises:
        BadInput: the factor is not a number, or an index is not a whole number from 0.
    """
    if not isinstance(factor, Real) and not (isinstance(factor, Tensor) and factor.ndim == 0):
        raise BadInput(f"scale takes one number, such as scale(0.5, head=3), not {factor!r}.")
    return Change(lambda path, tensor, axes: tensor * factor, _index(index))


@overload
def off(**index: Places) -> Change: ...
@overload
def off(path: str, /, **index: Places) -> dict[str, Change]: ...
def off(path: str | None = None, /, **index: Places) -> Change | dict[str, Change]:
    """Set a part to 0.

    Args:
        path: a tap path. If given, a mapping from the tap path to the edit is returned, as `trace` takes it.
        index: axis -> index, or several.

    Raises:
        BadInput: an index is not a whole number from 0.
    """
    if path is not None:
        _check_path(path)
    change = set_value(0.0, **index)
    return change if path is None else {path: change}


def set_value(value: Any, /, **index: Places) -> Change:
    """Set a part to a value.

    Args:
        value: a number, or an array (or nested list, or tensor) over the last of the axes that the index does not name,
            in order; it is broadcast over the axes before them.
        index: axis -> index, or several.

    Raises:
        BadInput: the value is neither a number nor an array of numbers, or an index is not a whole number from 0.
        TraceError: raised when the edit is used, if the array's shape is not that of the part.
    """
    places = _index(index)
    try:
        value = value if isinstance(value, Tensor) else torch.as_tensor(value, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise BadInput(f"set_value takes a number or an array of numbers, not {value!r}: {error}.") from error
    if value.is_complex():
        raise BadInput(f"set_value takes real numbers, not {value.dtype}.")

    def values(path: str, tensor: Tensor, axes: tuple[str, ...]) -> Tensor:
        given = torch.as_tensor(value, dtype=tensor.dtype, device=tensor.device)
        rest = [axis for axis in axes if axis not in places]
        covered = rest[max(0, len(rest) - given.ndim) :]
        sizes = {axis: tensor.shape[axes.index(axis)] for axis in covered}
        if given.ndim and tuple(given.shape) != tuple(sizes.values()):
            expected = ", ".join(f"{axis} {size}" for axis, size in sizes.items())
            raise TraceError(f"{path}: the value must be a number or cover {expected}; it is {tuple(given.shape)}.")
        return given.view([sizes.get(axis, 1) for axis in axes])

    return Change(values, places)


def uniform(path: str, **index: Places) -> dict[str, Edit]:
    """Let a part of an attention layer attend to all tokens equally, so that it outputs the mean of the values.

    Args:
        path: the path of the layer's tap "mixed".
        index: axis -> index, or several, such as `head=3`.

    Returns:
        Two edits that belong together: one reads the values, the other replaces the mixed values.

    Raises:
        BadInput: the path is that of another tap, or an index is not a whole number from 0.
    """
    _check_path(path)
    layer, _, tap = path.rpartition(".")
    if tap != "mixed":
        raise BadInput(f"Attention is made uniform at a tap 'mixed', such as 'attention.mixed', not at {path!r}.")
    look = Look()
    change = Change(lambda path, tensor, axes: look.mean, _index(index))
    return {f"{layer}.value" if layer else "value": look, path: change}


def together(*edits: Mapping[str, Edit | Sequence[Edit]]) -> dict[str, tuple[Edit, ...]]:
    """Join mappings of edits; several edits of one tap are applied one after the other, in order.

    Returns:
        tap path -> edits, for `trace(edits=...)`. Edits that only read come last, so that they see the others' changes.

    Raises:
        TraceError: an argument is not a mapping, or a value in it is not an edit.
    """
    joined: dict[str, list[Edit]] = {}
    for some in edits:
        if not isinstance(some, Mapping):
            raise TraceError(
                f"Edits are given as tap path -> edit, such as {{'*.weights': edits.off(head=3)}}, not as {some!r}."
            )
        for path, each in some.items():
            _check_path(path)
            several = each if isinstance(each, Sequence) else [each]
            if not several:
                raise TraceError(f"The edits of {path!r} are empty, and would change nothing: leave the tap path out.")
            for edit in several:
                if not callable(edit) or edit in _MAKERS:
                    named = getattr(edit, "__name__", None)
                    came = f"edits.{named} without parentheses" if callable(edit) else f"a {type(edit).__name__}"
                    raise TraceError(
                        f"The edit of {path!r} must be one of attnviz.edits, such as edits.set_value(0), or a "
                        f"function from tensor to tensor, not {came}."
                    )
            joined.setdefault(path, []).extend(several)
    return {path: tuple(sorted(all_, key=lambda edit: isinstance(edit, Look))) for path, all_ in joined.items()}


_MAKERS: tuple[object, ...] = (scale, off, set_value, uniform)


def edited(path: str, tensor: Tensor, axes: tuple[str, ...], visit: Mapping[str, int], edit: Edit) -> Tensor | None:
    """Return the tensor after an edit, or None if the edit is for another visit. Raise TraceError if the edit changed
    the tensor in place, or returned another shape, dtype or device.
    """
    before = version(tensor)
    changed: Any = edit(path, tensor, axes, visit) if isinstance(edit, Change | Look) else edit(tensor)
    if version(tensor) != before:
        raise TraceError(f"The edit of {path!r} changed its tensor in place; it must return a new one.")
    if changed is None and isinstance(edit, Change):
        return None
    expected = tuple(tensor.shape), tensor.dtype, tensor.device
    if not isinstance(changed, Tensor):
        raise TraceError(f"The edit of {path!r} must return a tensor of shape {expected[0]}, but returned {changed!r}.")
    returned = tuple(changed.shape), changed.dtype, changed.device
    if returned != expected:
        raise TraceError(f"The edit of {path!r} must keep shape, dtype and device {expected}, but returned {returned}.")
    return changed


def _check_path(path: Any) -> None:
    if not isinstance(path, str):
        raise BadInput(f"A tap path is a text, such as 'attention.mixed', not {path!r}.")


def version(tensor: Tensor) -> int:
    """Return how often a tensor was changed in place, or -1 for an inference tensor, which does not count this."""
    return -1 if tensor.is_inference() else tensor._version


def _index(index: Mapping[str, Places]) -> dict[str, tuple[int, ...]]:
    places: dict[str, tuple[int, ...]] = {}
    for axis, given in index.items():
        several = tuple(given) if isinstance(given, Sequence) else (given,)
        if not several or not all(type(place) is int and place >= 0 for place in several):
            raise BadInput(f"{axis}={given!r} is not an index: use whole numbers counted from 0, such as {axis}=3.")
        places[axis] = several
    return places

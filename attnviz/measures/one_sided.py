"""How a small step up and a small step down change the answer, at pixels without a Jacobian.

At a maximum of equal values, or a ReLU of exactly zero, a model has no derivative: a small step up and a small step
down change its answer by different amounts per unit. Backpropagation picks one of the tied values and ignores the
others, and on a flat background many windows of a max-pooling tie. Here a step is followed forward through the model.
The maximum of tied values changes by the largest of their changes, and a ReLU at zero passes positive changes.
Everything else is differentiable.

Source: the directional derivatives of a maximum follow from Danskin's theorem: "The Theory of Max-Min, with
Applications", Danskin, 1966, https://doi.org/10.1137/0114053.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from attnviz.answers import predicted
from attnviz.measures.jacobian import Model, toward

ROUNDING = 256.0  # times the precision: closer values tie, since equal sums may round differently at two positions


def without_derivative(model: Model, image: Tensor) -> Tensor:
    """Return the pixels of one picture whose steps reach a tie, where there may be no derivative: bool (channel, row,
    column). The image is float (1, channel, row, column) in 0..1, in the model's precision.
    """
    with torch.inference_mode(False), torch.enable_grad():
        pixels = image.detach().clone().requires_grad_()
        with _Ties() as ties:
            model(pixels)
        if not ties.found:
            return torch.zeros(image.shape[1:], dtype=torch.bool)
        # A pixel affects a tie if it changes the tied values differently. Random factors do not cancel one another.
        (reached,) = torch.autograd.grad(torch.stack(ties.found).sum(), pixels)
    return reached[0] != 0


def steps(model: Model, image: Tensor, pixels: Tensor, answer: int | None = None) -> Tensor:
    """Return the change of the chosen logit, per unit of intensity, for a small step up and down of some pixels.

    Args:
        model, image: see `without_derivative`. The forward pass takes a batch of twice as many pictures as pixels.
        pixels: int (pixel,), indices of the image's values, channel by channel and row by row.
        answer: number of the class; None for the predicted class.

    Returns:
        (2, pixel), for a step up and for a step down. Both equal the derivative if there is one: the gain of the logit
        per unit of a brighter pixel, and its loss per unit of a darker one.
    """
    count = len(pixels)
    image = image.detach()
    chosen = predicted(model(image)) if answer is None else torch.tensor([answer])
    directions = torch.zeros(2, count, image.numel(), dtype=image.dtype)
    each = torch.arange(count)
    directions[0, each, pixels], directions[1, each, pixels] = 1, -1

    def change(direction: Tensor) -> Tensor:
        found: Tensor = torch.func.jvp(lambda moved: toward(model(moved), chosen), (image,), (direction,))[1]
        return found

    with torch.inference_mode(False), torch.no_grad(), _Steps():
        changes = torch.vmap(change, randomness="same")(directions.view(2 * count, *image.shape))
    return changes.view(2, count) * torch.tensor([[1], [-1]])


class _Watching(TorchFunctionMode, ABC):
    """Call `maximum` and `relu` instead of those functions of torch that can have ties."""

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        keywords = keywords or {}
        plain: Callable[[], Tensor] = lambda: function(*arguments, **keywords)  # noqa: E731
        if function in _RELUS:
            return self.relu(arguments[0], plain)
        windows = _WINDOWS[function](*arguments, **keywords) if function in _WINDOWS else None
        return plain() if windows is None else self.maximum(windows, plain)

    @abstractmethod
    def maximum(self, windows: Tensor, plain: Callable[[], Tensor]) -> Tensor:
        """Return the maximum over the last axis, which `plain` computes."""

    @abstractmethod
    def relu(self, values: Tensor, plain: Callable[[], Tensor]) -> Tensor:
        """Return the ReLU, which `plain` computes."""


class _Ties(_Watching):
    """Sum the tied values of a forward pass with random factors that add up to zero over each tie."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tensor] = []
        self.generator = torch.Generator().manual_seed(0)

    def random(self, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=self.generator, dtype=like.dtype).to(like.device)

    def maximum(self, windows: Tensor, plain: Callable[[], Tensor]) -> Tensor:
        tied = _tied(windows.detach())
        count = tied.sum(-1, keepdim=True)
        if windows.requires_grad and (count > 1).any():
            factors = self.random(windows).where(tied, 0)
            factors = (factors - factors.sum(-1, keepdim=True) / count).where(tied, 0)
            self.found.append((factors * windows.where(tied, 0)).sum())
        return plain()

    def relu(self, values: Tensor, plain: Callable[[], Tensor]) -> Tensor:
        zero = values.detach().abs() <= _nearness(values.detach())
        if values.requires_grad and zero.any():
            self.found.append((self.random(values) * values.where(zero, 0)).sum())
        return plain()


class _Steps(_Watching):
    """Follow a small step, the tangent of forward-mode differentiation, through ties and through bilinear sampling."""

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        sampled = _sampled(*arguments, **keywords or {}) if function is functional.grid_sample else None
        return super().__torch_function__(function, types, arguments, keywords) if sampled is None else sampled

    def maximum(self, windows: Tensor, plain: Callable[[], Tensor]) -> Tensor:
        found: Tensor = _Maximum.apply(windows)  # type: ignore[no-untyped-call]
        return found

    def relu(self, values: Tensor, plain: Callable[[], Tensor]) -> Tensor:
        found: Tensor = _Relu.apply(values)  # type: ignore[no-untyped-call]
        return found


class _Maximum(torch.autograd.Function):
    """The maximum over the last axis; among tied values the one with the largest step counts."""

    generate_vmap_rule = True

    @staticmethod
    def forward(windows: Tensor) -> Tensor:
        return windows.amax(-1)

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        context.save_for_forward(_tied(inputs[0]))

    @staticmethod
    def jvp(context: Any, step: Tensor) -> Tensor:
        (tied,) = context.saved_tensors
        return step.where(tied, -torch.inf).amax(-1)


class _Relu(torch.autograd.Function):
    """The ReLU; at zero it passes a step up."""

    generate_vmap_rule = True

    @staticmethod
    def forward(values: Tensor) -> Tensor:
        return values.relu()

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        (values,), near = inputs, _nearness(inputs[0])
        context.save_for_forward(values > near, values.abs() <= near)

    @staticmethod
    def jvp(context: Any, step: Tensor) -> Tensor:
        above, zero = context.saved_tensors
        return step.where(above, 0) + step.relu().where(zero, 0)


def _tied(windows: Tensor) -> Tensor:
    return (windows >= windows.amax(-1, keepdim=True) - _nearness(windows)) & windows.isfinite()


def _nearness(values: Tensor) -> Tensor:
    """Return the largest difference at which values count as equal."""
    return ROUNDING * torch.finfo(values.dtype).eps * values.where(values.isfinite(), 0).abs().amax()


def _pooled(
    maps: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | None:
    """Return the windows of a max-pooling, (..., row, column, cell), or None if it is dilated."""
    (rows, columns), (above, left) = _pair(kernel_size), _pair(padding)
    down, right = _pair(stride or kernel_size)
    if _pair(dilation) != (1, 1) or return_indices:
        return None
    more = [(step - 1 if ceil_mode else 0) for step in (down, right)]  # padding; a window uses only what it needs
    maps = functional.pad(maps, (left, left + more[1], above, above + more[0]), value=-torch.inf)
    return maps.unfold(-2, rows, down).unfold(-2, columns, right).flatten(-2)


def _pooled_to_one(maps: Tensor, output_size: Any, return_indices: bool = False) -> Tensor | None:
    """Return the windows of an adaptive max-pooling to one cell, (..., 1, 1, cell), or None for another size."""
    whole = output_size in (1, (1, 1), [1, 1]) and not return_indices
    return maps.flatten(-2)[..., None, None, :] if whole else None


def _sampled(
    images: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor | None:
    """Return the result of `grid_sample`, which torch cannot differentiate forward, or None for non-default options."""
    if (mode, padding_mode, bool(align_corners)) != ("bilinear", "zeros", False):
        return None
    channels, rows, columns = images.shape[1:]
    cells = functional.pad(images, (1, 1, 1, 1)).flatten(2)
    # In pixels of the padded picture. Within one pixel of its outer edge, everything is zero.
    across = ((grid[..., 0] + 1) * columns + 1) / 2
    down = ((grid[..., 1] + 1) * rows + 1) / 2
    across, down = across.clamp(0, columns + 1), down.clamp(0, rows + 1)
    left, top = across.floor().clamp(max=columns), down.floor().clamp(max=rows)
    across, down = (across - left)[:, None], (down - top)[:, None]
    corner = (top * (columns + 2) + left).long()

    def at(offset: int) -> Tensor:
        numbers = (corner + offset).flatten(1)[:, None].expand(-1, channels, -1)
        found: Tensor = cells.gather(2, numbers).unflatten(2, grid.shape[1:3])
        return found

    above = at(0) * (1 - across) + at(1) * across
    below = at(columns + 2) * (1 - across) + at(columns + 3) * across
    return above * (1 - down) + below * down


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


_RELUS = (torch.relu, functional.relu, Tensor.relu)
_WINDOWS: dict[Any, Callable[..., Tensor | None]] = {
    functional.max_pool2d: _pooled,
    torch.max_pool2d: _pooled,
    functional.adaptive_max_pool2d: _pooled_to_one,
}

"""Element-wise attention up to its convolution, without the arrays that only tracing needs.

Computed step by step, a layer of 16 heads keeps five arrays of all heads for the backward pass, and torch is slow at
convolving 16 channels to one. Here only the relevance is kept, and the rest is recomputed from it. Pictures are
processed in chunks that stay in the processor's cache. The convolution is a matrix product whose result is shifted and
summed. The results are equal up to rounding.

With relevance r, its two softmaxes p and q, and t = r dr: d(x_product) = t - p sum_row(t), and similarly for y.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import fold, unfold

CHUNK = 2**17  # numbers, over all heads, computed at once: three such arrays fill about 1 MB of cache


def attended_and_convolved(
    images: Tensor,
    x_weights: Tensor,
    y_weights: Tensor,
    conv: nn.Conv2d,
    *,
    norm: nn.BatchNorm2d | None,
    factor: float,
    training: bool,
) -> Tensor:
    """Return the output of element-wise attention after its convolution.

    Args:
        images: (batch, channel, row, column), with moderate products with the arrays, since no maximum is subtracted.
        x_weights, y_weights: (head, channel, row, column)
        conv: from the channels of all heads, with an odd kernel and "same" padding.
        norm: batch normalisation of the relevance, whose running mean and variance are updated in training.
        factor: multiplies the relevance if there is no norm.
        training: whether the norm uses the mean and variance of these pictures.

    Returns:
        (batch, conv.out_channels, row, column)
    """
    mean, variance, eps, scale, shift = None, None, 0.0, None, None
    if norm is not None:
        eps, scale, shift = norm.eps, norm.weight, norm.bias
        if not training:
            mean, variance = norm.running_mean, norm.running_var
    normalised = norm is not None and training
    kept = torch.is_grad_enabled() or normalised
    joined, batch_mean, batch_variance = _Fused.apply(  # type: ignore[no-untyped-call]
        images, x_weights, y_weights, conv.weight, scale, shift, mean, variance, eps, factor, normalised, kept
    )
    if norm is not None and training:
        _count(norm, batch_mean, batch_variance, images.numel() // images.shape[1])
    result: Tensor = joined
    return result if conv.bias is None else result + conv.bias[:, None, None]


def _count(norm: nn.BatchNorm2d, mean: Tensor, variance: Tensor, count: int) -> None:
    """Update the running mean and variance as torch's batch normalisation does."""
    assert norm.running_mean is not None and norm.running_var is not None and norm.num_batches_tracked is not None
    assert norm.momentum is not None
    norm.num_batches_tracked.add_(1)
    norm.running_mean.lerp_(mean, norm.momentum)
    norm.running_var.lerp_(variance * (count / max(1, count - 1)), norm.momentum)


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        images: Tensor,
        x_weights: Tensor,
        y_weights: Tensor,
        weight: Tensor,
        scale: Tensor | None,
        shift: Tensor | None,
        mean: Tensor | None,
        variance: Tensor | None,
        eps: float,
        factor: float,
        normalised: bool,
        kept: bool,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        batch, (heads, channels, rows, columns) = len(images), x_weights.shape
        step = max(1, CHUNK // x_weights.numel())
        stored = batch if kept else min(step, batch)  # pictures whose relevance is held at once
        relevance = images.new_empty(stored, heads, channels, rows, columns)
        work = torch.empty_like(relevance[:step])
        x_share = images.new_empty(batch, heads, channels, rows, 1)  # 1 / the sum of exponentials of each row
        y_share = images.new_empty(batch, heads, channels, 1, columns)

        def compute(first: int) -> Tensor:
            part = slice(first, first + step)
            image = images[part, None]  # (batch, 1, channel, row, column)
            x, y = x_share[part], y_share[part]
            found, other = (relevance[part] if kept else relevance[: len(image)]), work[: len(image)]
            torch.sum(torch.mul(image, x_weights, out=found).exp_(), -1, keepdim=True, out=x).reciprocal_()
            torch.sum(torch.mul(image, y_weights, out=other).exp_(), -2, keepdim=True, out=y).reciprocal_()
            return found.mul_(x).mul_(other.mul_(y))

        if normalised:
            for first in range(0, batch, step):
                compute(first)
            variance, mean = torch.var_mean(relevance.flatten(1, 2), (0, 2, 3), correction=0)
        if mean is not None and variance is not None:
            slope = (variance + eps).rsqrt()
            offset = -mean * slope
        else:
            slope, offset = images.new_full((heads * channels,), factor), images.new_zeros(heads * channels)
        kernels = _as_matrix(weight)  # (output channel and kernel position, head and channel)
        scaled = kernels if scale is None else kernels * scale
        joined = images.new_empty(batch, len(weight), rows, columns)
        for first in range(0, batch, step):
            found = relevance[first : first + step] if normalised else compute(first)
            part = slice(first, first + len(found))
            torch.addcmul(_per_head(offset, heads), found, _per_head(slope, heads), out=work[: len(found)])
            normed = work[: len(found)].mul_(images[part, None]).flatten(1, 2).flatten(2)  # x times normed
            joined[part] = _shifted(scaled @ normed, weight, rows, columns)
        if shift is not None:
            beside = (kernels * shift).unflatten(1, (heads, channels)).sum(1)
            joined += _shifted(beside @ images.flatten(2), weight, rows, columns)
        if kept:
            ctx.save_for_backward(
                images, x_weights, y_weights, weight, scale, shift, relevance, x_share, y_share, slope, offset
            )
        ctx.normalised, ctx.step = normalised, step
        ctx.set_materialize_grads(False)
        if not normalised:
            return joined, None, None
        ctx.mark_non_differentiable(mean, variance)
        return joined, mean, variance

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
        if gradient is None:
            return (None,) * 12
        images, x_weights, y_weights, weight, scale, shift, relevance, x_share, y_share, slope, offset = (
            ctx.saved_tensors
        )
        batch, (heads, _, rows, columns), step = len(images), x_weights.shape, ctx.step
        kernels = _as_matrix(weight)
        around = unfold(gradient, weight.shape[-1], padding=weight.shape[-1] // 2)  # (batch, output x position, pixel)
        work = [torch.empty_like(relevance[:step]) for _ in range(3)]
        slopes, offsets = _per_head(slope, heads), _per_head(offset, heads)

        # The gradient of the kernels, from which the sums that a norm needs follow.
        met = torch.zeros_like(kernels)
        for first in range(0, batch, step):
            part = slice(first, first + step)
            found = relevance[part]
            normed = torch.addcmul(offsets, found, slopes, out=work[0][: len(found)]).mul_(images[part, None])
            met += (around[part] @ normed.flatten(1, 2).flatten(2).mT).sum(0)
        met_shift = (around @ images.flatten(2).mT).sum(0).repeat(1, heads)  # the same with 1 for the normed relevance
        of_scale, of_shift = (kernels * met).sum(0), (kernels * met_shift).sum(0)  # (head and channel,)
        of_kernels = met if scale is None else met * scale
        if shift is not None:
            of_kernels = of_kernels + met_shift * shift
        # The gradient of the relevance is affine in the gradient of the normed relevance and in the relevance itself.
        inner = slope if scale is None else slope * scale
        count = batch * rows * columns
        in_relevance = -inner * of_scale / count * slope
        constant = -inner * (of_scale / count * offset + of_shift / count)
        beside = offset if scale is None else offset * scale
        beside = beside if shift is None else beside + shift

        wants_images = ctx.needs_input_grad[0]
        of_images = torch.zeros_like(images) if wants_images else None
        of_x, of_y = torch.zeros_like(x_weights), torch.zeros_like(y_weights)
        transposed = kernels.T.contiguous()
        for first in range(0, batch, step):
            part = slice(first, first + step)
            found, image = relevance[part], images[part, None]
            t, p, d = (array[: len(found)] for array in work)
            torch.matmul(transposed, around[part], out=t.flatten(1, 2).flatten(2))
            if of_images is not None:
                torch.addcmul(_per_head(beside, heads), found, _per_head(inner, heads), out=d).mul_(t)
                of_images[part] += d.sum(1)
            t.mul_(image)  # the gradient of the normed relevance
            if ctx.normalised:
                torch.addcmul(_per_head(constant, heads), found, _per_head(in_relevance, heads), out=d)
                torch.addcmul(d, t, _per_head(inner, heads), out=t)
            else:
                t.mul_(_per_head(inner, heads))
            t.mul_(found)  # relevance times its gradient
            torch.mul(image, x_weights, out=p).exp_().mul_(x_share[part])
            torch.addcmul(t, p, t.sum(-1, keepdim=True), value=-1, out=d)  # the gradient of x_product
            if of_images is not None:
                of_images[part] += (d * x_weights).sum(1)
            of_x += d.mul_(image).sum(0)
            torch.mul(image, y_weights, out=p).exp_().mul_(y_share[part])
            torch.addcmul(t, p, t.sum(-2, keepdim=True), value=-1, out=d)
            if of_images is not None:
                of_images[part] += (d * y_weights).sum(1)
            of_y += d.mul_(image).sum(0)
        return (
            of_images, of_x, of_y, _as_kernels(of_kernels, weight), None if scale is None else of_scale,
            None if shift is None else of_shift, None, None, None, None, None, None,
        )  # fmt: skip


def _per_head(numbers: Tensor, heads: int) -> Tensor:
    """Reshape (head and channel,) to (head, channel, 1, 1)."""
    return numbers.view(heads, -1, 1, 1)


def _as_matrix(weight: Tensor) -> Tensor:
    """Return a convolution's mirrored weights as (output channel and kernel position, input channel)."""
    return weight.flip(-1, -2).permute(0, 2, 3, 1).flatten(0, 2)


def _as_kernels(matrix: Tensor, like: Tensor) -> Tensor:
    made, _, height, width = like.shape
    return matrix.view(made, height, width, -1).permute(0, 3, 1, 2).flip(-1, -2)


def _shifted(products: Tensor, weight: Tensor, rows: int, columns: int) -> Tensor:
    """Sum the products of each kernel position, (batch, output channel and position, pixel), at their target pixels."""
    return fold(products, (rows, columns), weight.shape[-1], padding=weight.shape[-1] // 2)

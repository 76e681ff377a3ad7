"""Element-wise attention: every number of a picture is weighted by its share of its row and of its column.

Source: "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023,
https://arxiv.org/abs/2302.05488, where the layer is called Attention-Wise.

Differences: one sentence of the paper gives both softmaxes to the x weights; here the y weights have the second one, as
everywhere else in the paper. Batch normalisation of the relevance has no scale or shift, to match the paper's parameter
counts. The paper does not state eps; 1e-5 is its library's default. Other norms, no skip, other kernels and a replaced
relevance are our additions. All heads are computed in one operation.

    our name            the paper's symbol or word
    x_weights           x weights, one array per head
    x_relevance         Ox, the softmax of input x weights along a row
    y_relevance         the same with the y weights, along a column
    relevance           their product
    attended            the output of a head
    after_conv, ...     before norm, after norm, final output: the columns of the paper's pictures
"""

from typing import Literal

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers import MAPS, PER_HEAD
from attnviz.layers.element_wise_fused import attended_and_convolved
from attnviz.layers.shortcuts import transformed
from attnviz.tracing import Layer

Mode = Literal["learnt", "mean", "one", "zero"]
RelevanceNorm = Literal["batch", "even", "none"]

MODERATE = 20.0  # bound on the products: the exponentials of -20 and 20 are e^40 apart, within the range of float32
FEW = 8  # output channels: with more of them, torch's own convolution is faster
MOMENTUM = 0.1  # of running statistics, as in torch's batch normalisation


class ElementWiseAttention(Layer):
    """Weight each number by its relevance in each head, combine the heads by a convolution, add the input, apply ReLU.

    Args:
        channels, rows, columns: shape of the input; each head has two arrays of this shape.
        heads: number of heads.
        out_channels: number of output channels; `channels` by default.
        kernel: rows and columns of the convolution's kernel, an odd number.
        bias: whether the convolution has a bias.
        relevance_norm: applied to the product of the softmaxes: "batch" normalises over pictures and positions, "even"
            multiplies by rows x columns, so that an even share becomes 1, "none" does nothing.
        eps: epsilon of that normalisation. The variance of the relevance is near 1e-10, so a larger eps dominates.
        relevance_affine: whether that normalisation has a learnt scale, drawn from N(0, std), and a shift.
        output_norm: mean m of the scales, drawn from N(m, 0.02), of batch normalisation after the skip; or None.
        skip: whether the input is added after the convolution.
        std: standard deviation of the normal distribution, with mean 0, that the arrays are drawn from.
        mode: "learnt", or a comparison: "mean" replaces the relevance by its mean over pictures (in evaluation, the
            running mean from training, as in batch normalisation), "one" and "zero" replace the normed relevance.
        generator: draws the initial weights; the convolution's weights come from N(0, 0.02) and its biases are 0.

    Call Args:
        images: float (batch, channels, rows, columns).

    Returns:
        float (batch, out_channels, rows, columns), 0 or more.

    Raises:
        BadInput: a size is out of range, or the skip would change the number of channels.
    """

    taps = (
        "input", "x_product", "x_relevance", "y_product", "y_relevance", "relevance", "normed_relevance", "attended",
        "after_conv", "before_norm", "after_norm", "output",
    )  # fmt: skip

    def __init__(
        self,
        *,
        channels: int,
        rows: int,
        columns: int,
        heads: int,
        out_channels: int | None = None,
        kernel: int = 3,
        bias: bool = True,
        relevance_norm: RelevanceNorm = "batch",
        eps: float = 1e-5,
        relevance_affine: bool = False,
        output_norm: float | None = None,
        skip: bool = True,
        std: float = 0.02,
        mode: Mode = "learnt",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        made = channels if out_channels is None else out_channels
        if min(channels, rows, columns, heads, made) < 1 or kernel < 1 or kernel % 2 == 0:
            sizes = (channels, rows, columns, heads, made)
            raise BadInput(
                "Element-wise attention needs channels, rows, columns, heads and output channels above 0, "
                f"not {sizes}, and an odd kernel, not {kernel}."
            )
        if skip and made != channels:
            raise BadInput(f"The input of {channels} channels cannot be added to {made}: use skip=False.")
        if relevance_affine and relevance_norm != "batch":
            raise BadInput(f"relevance_affine belongs to the relevance_norm 'batch', not to {relevance_norm!r}.")
        self.shape, self.heads, self.relevance_norm, self.skip, self.mode = (
            (channels, rows, columns), heads, relevance_norm, skip, mode,
        )  # fmt: skip
        self.x_weights = nn.Parameter(torch.empty(heads, channels, rows, columns))
        self.y_weights = nn.Parameter(torch.empty(heads, channels, rows, columns))
        self.norm = (
            nn.BatchNorm2d(heads * channels, eps=eps, momentum=MOMENTUM, affine=relevance_affine)
            if relevance_norm == "batch"
            else None
        )
        self.conv = nn.Conv2d(heads * channels, made, kernel, padding=kernel // 2, bias=bias)
        self.output_norm = None if output_norm is None else nn.BatchNorm2d(made, momentum=MOMENTUM)
        if mode == "mean":
            even = torch.full((heads, channels, rows, columns), 1 / (rows * columns))
            self.register_buffer("mean_relevance", even)
        nn.init.normal_(self.x_weights, std=std, generator=generator)
        nn.init.normal_(self.y_weights, std=std, generator=generator)
        nn.init.normal_(self.conv.weight, std=0.02, generator=generator)
        if self.conv.bias is not None:
            nn.init.zeros_(self.conv.bias)
        if self.norm is not None and relevance_affine:
            nn.init.normal_(self.norm.weight, std=std, generator=generator)
        if self.output_norm is not None and output_norm is not None:
            nn.init.normal_(self.output_norm.weight, mean=output_norm, std=0.02, generator=generator)

    def forward(self, images: Tensor) -> Tensor:
        images = self.tap("input", images, axes=MAPS)
        after_conv = self.tap("after_conv", self._joined(images), axes=MAPS)
        before_norm = self.tap("before_norm", after_conv + images if self.skip else after_conv, axes=MAPS)
        normed = before_norm if self.output_norm is None else self.output_norm(before_norm)
        normed = self.tap("after_norm", normed, axes=MAPS)
        return self.tap("output", normed.relu(), axes=MAPS)

    def _joined(self, images: Tensor) -> Tensor:
        """Return the heads' values after the convolution, computed in the fastest way that applies."""
        inner = self.taps[1 : self.taps.index("after_conv")]
        if not any(self.hears(name) for name in inner) and not transformed(images, *self.parameters()):
            if self.mode == "zero":
                return nn.functional.conv2d(images, torch.zeros_like(self._of_equal_heads()), self.conv.bias,
                                            padding=self.conv.padding)  # fmt: skip
            if self.mode == "one":
                return nn.functional.conv2d(images, self._of_equal_heads(), self.conv.bias, padding=self.conv.padding)
            if self.mode == "learnt" and self.conv.out_channels <= FEW and self._is_moderate(images):
                return attended_and_convolved(
                    images, self.x_weights, self.y_weights, self.conv,
                    norm=self.norm, factor=self._factor(), training=self.training,
                )  # fmt: skip
        attended = self._attended(images)
        joined: Tensor = self.conv(
            attended.flatten(1, 2)
        )  # (batch, head and channel, row, column) to (batch, channel, ...)
        return joined

    def _attended(self, images: Tensor) -> Tensor:
        """Compute the layer step by step: (batch, channel, row, column) to (batch, head, channel, row, column)."""
        x_product = self.tap("x_product", images[:, None] * self.x_weights, axes=PER_HEAD)
        x_relevance = self.tap("x_relevance", x_product.softmax(-1), axes=PER_HEAD)
        y_product = self.tap("y_product", images[:, None] * self.y_weights, axes=PER_HEAD)
        y_relevance = self.tap("y_relevance", y_product.softmax(-2), axes=PER_HEAD)
        relevance = self.tap("relevance", x_relevance * y_relevance, axes=PER_HEAD)
        normed = self.tap("normed_relevance", self._normed(relevance), axes=PER_HEAD)
        return self.tap("attended", images[:, None] * normed, axes=PER_HEAD)

    def _normed(self, relevance: Tensor) -> Tensor:
        if self.mode == "one":
            return torch.ones_like(relevance)
        if self.mode == "zero":
            return torch.zeros_like(relevance)
        if self.mode == "mean":
            relevance = self._averaged(relevance).expand_as(relevance)
        if self.norm is None:
            return relevance * self._factor()
        normed: Tensor = self.norm(relevance.flatten(1, 2))
        return normed.view_as(relevance)

    def _averaged(self, relevance: Tensor) -> Tensor:
        """Return the mean over the batch, or in evaluation the running mean, (head, channel, row, column)."""
        kept = self.get_buffer("mean_relevance")
        if not self.training:
            return kept
        mean = relevance.mean(0)
        kept.lerp_(mean.detach(), MOMENTUM)
        return mean

    def _factor(self) -> float:
        return float(self.shape[1] * self.shape[2]) if self.relevance_norm == "even" else 1.0

    def _of_equal_heads(self) -> Tensor:
        """Return the convolution's weights for equal heads, summed over heads: (output, channel, row, column)."""
        per_head: Tensor = self.conv.weight.unflatten(1, (self.heads, self.shape[0]))
        return per_head.sum(1)

    def _is_moderate(self, images: Tensor) -> bool:
        """Return whether the products are small enough for softmax without subtracting the maximum."""
        if torch.compiler.is_compiling() or not len(images):
            return False
        with torch.no_grad():
            weight = torch.maximum(self.x_weights.abs().amax(), self.y_weights.abs().amax())
            return bool(images.abs().amax() * weight <= MODERATE)

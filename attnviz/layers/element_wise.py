"""Element-wise attention: every number of a picture is weighed by its share of its row and of its column.

Source: "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023,
https://arxiv.org/abs/2302.05488, where the layer is called Attention-Wise.

Differs: one sentence there gives the x weights both softmaxes; the y weights have the second one, as all others say.
Its batch normalisation of the relevance has no scale and no shift, as its counts of parameters do not allow for
them; eps is not stated there, 1e-5 is its library's. Other norms, no skip, other kernels and a relevance that is
replaced are ours. All heads are computed in one operation.

    our name            the paper's symbol or word
    x_weights           x weights, one array per head
    x_relevance         Ox, the softmax of input x weights along a row
    y_relevance         the same with y weights along a column
    relevance           their product
    attended            what a head hands on
    after_conv, ...     before norm, after norm, final output: the columns of its pictures
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

MODERATE = 20.0  # of the largest product: the exponentials of -20 and 20 are e^40 apart, within the range of float32
FEW = 8  # channels made: to more of them torch's own convolution is the faster one
MOMENTUM = 0.1  # of running means, as in torch's batch normalisation


class ElementWiseAttention(Layer):
    """Weigh each number by its relevance, in each head; join the heads by a convolution, add the input, cut below 0.

    Args:
        channels, rows, columns: of the input; a head has two arrays of this shape.
        heads: how many times it is weighed side by side.
        out_channels: of the output; by default as many as come in.
        kernel: of the convolution, an odd number.
        bias: whether the convolution has one.
        relevance_norm: what follows the product of the softmaxes: "batch" normalises it over pictures and places,
            "even" multiplies it by rows x columns, so that an even share is 1, "none" leaves it.
        eps: of that batch normalisation. The relevance has a variance near 1e-10: a larger eps rules.
        relevance_affine: whether it has a learnt scale, drawn from N(0, std), and shift.
        output_norm: of the batch normalisation after the skip, the mean of the scale that is drawn from N(., 0.02);
            None: there is none.
        skip: whether the input is added after the convolution.
        std: the arrays are drawn from N(0, this).
        mode: "learnt"; or, to compare, the relevance is replaced by its "mean" over pictures (in evaluation: over those
            of the training, as batch normalisation counts them), or the normed relevance by "one" or "zero".
        generator: of the initial weights; the convolution's are drawn from N(0, 0.02), its biases are 0.

    Call Args:
        images: float (batch, channels, rows, columns).

    Returns:
        float (batch, out_channels, rows, columns), 0 or more.

    Raises:
        BadInput: sizes that cannot be, or a skip to another number of channels.
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
        """Return the heads' values after the convolution, by the quickest way that gives them."""
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
        """Spell the layer out: (batch, channel, row, column) to (batch, head, channel, row, column)."""
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
        """Return the mean over pictures, (head, channel, row, column): of this batch, or of those of the training."""
        kept = self.get_buffer("mean_relevance")
        if not self.training:
            return kept
        mean = relevance.mean(0)
        kept.lerp_(mean.detach(), MOMENTUM)
        return mean

    def _factor(self) -> float:
        return float(self.shape[1] * self.shape[2]) if self.relevance_norm == "even" else 1.0

    def _of_equal_heads(self) -> Tensor:
        """Return the convolution's weights where all heads hand on the same: (channel made, channel, row, column)."""
        per_head: Tensor = self.conv.weight.unflatten(1, (self.heads, self.shape[0]))
        return per_head.sum(1)

    def _is_moderate(self, images: Tensor) -> bool:
        """Return whether exponentials of the products need no maximum subtracted."""
        if torch.compiler.is_compiling() or not len(images):
            return False
        with torch.no_grad():
            weight = torch.maximum(self.x_weights.abs().amax(), self.y_weights.abs().amax())
            return bool(images.abs().amax() * weight <= MODERATE)

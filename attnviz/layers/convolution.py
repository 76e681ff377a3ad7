"""A convolution block: convolution, normalisation, ReLU, pooling.

Source: "Gradient-Based Learning Applied to Document Recognition", LeCun et al., 1998, built like Keras' layers.

Differences: none. "same" padding adds zeros as Keras does: an even kernel gets one more at the bottom and right.

    our name       elsewhere
    before_conv    the input
    after_conv     the pre-activation
    after_relu     the feature maps, the activation
    after_pool     the output
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, pad

from attnviz.errors import BadInput
from attnviz.tracing import Layer


class ConvBlock(Layer):
    """Convolve, normalise, apply ReLU and pool.

    Args:
        channels, output_channels: number of input and output channels.
        kernel: rows and columns of the kernel.
        padding: "same" keeps rows and columns; "valid" convolves only where the whole kernel lies on the map.
        norm: a normalisation of (batch, channel, row, column), or None.
        pool: rows and columns of the non-overlapping max pooling; 1 turns it off.
        whole: whether pooling includes the remainder at the bottom and right if it is smaller than `pool`.

    Call Args:
        maps: float (batch, channel, row, column).

    Returns:
        float (batch, output channel, row, column).
    """

    taps = ("before_conv", "after_conv", "after_norm", "after_relu", "after_pool")

    def __init__(
        self,
        *,
        channels: int,
        output_channels: int,
        kernel: int,
        padding: Literal["same", "valid"] = "same",
        norm: nn.Module | None = None,
        pool: int = 1,
        whole: bool = False,
    ) -> None:
        super().__init__()
        if min(channels, output_channels, kernel, pool) < 1:
            raise BadInput(
                f"Channels, kernel and pool must be above 0, not {(channels, output_channels, kernel, pool)}."
            )
        self.conv = nn.Conv2d(channels, output_channels, kernel)
        self.norm = nn.Identity() if norm is None else norm
        before = (kernel - 1) // 2 if padding == "same" else 0
        after = kernel - 1 - before if padding == "same" else 0
        self.padding, self.pool, self.whole = (before, after, before, after), pool, whole

    def forward(self, maps: Tensor) -> Tensor:
        axes = "batch channel row column"
        maps = self.tap("before_conv", maps, axes=axes)
        maps = self.tap("after_conv", self.conv(pad(maps, self.padding)), axes=axes)
        maps = self.tap("after_norm", self.norm(maps), axes=axes)
        maps = self.tap("after_relu", torch.relu(maps), axes=axes)
        pooled = max_pool2d(maps, self.pool, ceil_mode=self.whole) if self.pool > 1 else maps
        return self.tap("after_pool", pooled, axes=axes)

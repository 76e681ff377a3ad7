"""A residual block of two convolutions, with an optional gate before the input is added.

Source: "Deep Residual Learning for Image Recognition", He, Zhang, Ren, Sun, 2016, https://arxiv.org/abs/1512.03385,
section 4.2. The gate is placed as in "Squeeze-and-Excitation Networks", Hu et al., 2018, figure 3.

Differences: none. If rows and columns are halved, the skip has no parameters (the paper's option A): it takes every
second position and adds channels of zeros.

    our name                      elsewhere
    first, second                 the 3 x 3 convolutions of a basic block, each with batch normalisation
    attention                     the SE or CBAM module
    after_skip                    F(x) + x
    output                        y, after ReLU
"""

from typing import ClassVar

from torch import Tensor, nn
from torch.nn.functional import pad

from attnviz.errors import BadInput
from attnviz.layers import MAPS
from attnviz.tracing import Layer


class ConvNorm(Layer):
    """Convolve by 3 x 3 with zero padding and no bias, then normalise over pictures and positions.

    Args:
        channels, output_channels: number of input and output channels.
        stride: 1 keeps rows and columns, 2 halves them, rounded up.

    Call Args:
        maps: float (batch, channel, row, column).

    Returns:
        float (batch, output channel, row, column).

    Raises:
        BadInput: a number of channels or the stride is below 1.
    """

    taps: ClassVar[tuple[str, ...]] = ("before_conv", "after_conv", "after_norm")

    def __init__(self, *, channels: int, output_channels: int, stride: int = 1) -> None:
        super().__init__()
        if min(channels, output_channels, stride) < 1:
            raise BadInput(f"Channels and stride must be 1 or more, not {channels}, {output_channels} and {stride}.")
        self.conv = nn.Conv2d(channels, output_channels, 3, stride, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(output_channels)

    def forward(self, maps: Tensor) -> Tensor:
        maps = self.tap("before_conv", maps, axes=MAPS)
        maps = self.tap("after_conv", self.conv(maps), axes=MAPS)
        return self.tap("after_norm", self.norm(maps), axes=MAPS)


class ConvNormRelu(ConvNorm):
    """`ConvNorm` followed by ReLU."""

    taps = (*ConvNorm.taps, "after_relu")

    def forward(self, maps: Tensor) -> Tensor:
        return self.tap("after_relu", super().forward(maps).relu(), axes=MAPS)


class ResidualBlock(Layer):
    """Convolve twice, apply the gate, add the input, and apply ReLU.

    Args:
        channels, output_channels: number of input and output channels.
        stride: stride of the first convolution and of the skip.
        attention: a module that maps maps of `output_channels` channels to maps of the same shape, or None.

    Call Args:
        maps: float (batch, channel, row, column).

    Returns:
        float (batch, output channel, row, column), 0 or more.

    Raises:
        BadInput: there are fewer output channels than input channels.
    """

    taps = ("after_skip", "output")

    def __init__(
        self, *, channels: int, output_channels: int, stride: int = 1, attention: nn.Module | None = None
    ) -> None:
        super().__init__()
        if output_channels < channels:
            raise BadInput(
                f"The skip can add channels but not remove any: expected at least {channels}, not {output_channels}."
            )
        self.added, self.stride = output_channels - channels, stride
        self.first = ConvNormRelu(channels=channels, output_channels=output_channels, stride=stride)
        self.second = ConvNorm(channels=output_channels, output_channels=output_channels)
        self.attention = attention

    def forward(self, maps: Tensor) -> Tensor:
        branch = self.second(self.first(maps))
        if self.attention is not None:
            branch = self.attention(branch)
        skip = pad(maps[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.added))
        added = self.tap("after_skip", branch + skip, axes=MAPS)
        return self.tap("output", added.relu(), axes=MAPS)

"""A small residual network whose blocks can scale their channels by gates.

Source: "Deep Residual Learning for Image Recognition", He et al., 2016, https://arxiv.org/abs/1512.03385, section 4.2
(its networks for CIFAR-10: three stages of 16, 32 and 64 channels), with the gates of "Squeeze-and-Excitation
Networks", Hu et al., 2018, https://arxiv.org/abs/1709.01507; "CBAM", Woo et al., 2018,
https://arxiv.org/abs/1807.06521; or "BAM", Park et al., 2018, https://arxiv.org/abs/1807.06514.

Differences: the default reduction ratio is 4, while those papers use 16, which would reduce 16 channels to a single
unit. BAM comes at the end of all three stages, the last one before the mean over positions; in the paper it precedes
every halving of the maps and is therefore missing at the end. Pictures of digits are halved in the first stage already.

    our name     the papers' symbol or word
    blocks       n, the residual blocks per stage: 3 make a ResNet-20
    widths       number of filters
    reduction    r
"""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.bam import Bam
from attnviz.layers.cbam import Cbam
from attnviz.layers.residual import ConvNormRelu, ResidualBlock
from attnviz.layers.squeeze_excite import SqueezeExcite
from attnviz.models.parts import Standardise, check, check_stages, columns_of, laid_out, uniform

Gate = Literal["none", "se", "cbam", "bam"]


class ChannelAttention(nn.Module):
    """Three stages of residual blocks, with a gate in every block (SE, CBAM) or at the end of every stage (BAM).

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        gate: "none", "se" (squeeze-and-excitation), "cbam" or "bam".
        reduction: reduction ratio of the gates' narrow layers.
        channels, rows, columns: size of the pictures.
        widths: channels of each stage; the first convolution makes as many as the first stage has.
        strides: stride of the first block of each stage.
        blocks: number of residual blocks per stage.
        mean, std: mean and standard deviation of the intensities (0..1), used to standardise them.
        generator: draws the initial weights, as torch draws them.

    Call Args:
        images: float (batch, channels, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).

    Raises:
        BadInput: the gate is unknown, or the numbers of strides and widths differ.
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        gate: Gate = "none",
        reduction: int = 4,
        channels: int = 1,
        rows: int = 28,
        columns: int = 28,
        widths: Sequence[int] = (16, 32, 64),
        strides: Sequence[int] = (1, 2, 2),
        blocks: int = 2,
        mean: float = 0.0,
        std: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if gate not in get_args(Gate):
            raise BadInput(f"The gate must be one of {', '.join(get_args(Gate))}, not {gate!r}.")
        check_stages(widths, strides)
        if blocks < 1:
            raise BadInput(f"Each stage has at least one block, not {blocks} of them.")
        self.shape = (channels, rows, columns)
        self.standardise = Standardise(mean, std)
        self.stem = ConvNormRelu(channels=channels, output_channels=widths[0])
        self.blocks, self.bam = nn.ModuleList(), nn.ModuleDict()
        before = widths[0]
        uses, cells = 0, (rows, columns)  # total uses of all weights in a forward pass
        for width, stride in zip(widths, strides, strict=True):
            for number in range(blocks):
                attention: nn.Module | None = None
                if gate in ("se", "cbam"):
                    attention = (SqueezeExcite if gate == "se" else Cbam)(channels=width, reduction=reduction)
                own = stride if number == 0 else 1
                self.blocks.append(
                    ResidualBlock(channels=before, output_channels=width, stride=own, attention=attention)
                )
                cells = (-(-cells[0] // own), -(-cells[1] // own))
                uses += _weights(self.blocks[-1]) * cells[0] * cells[1]
                before = width
            if gate == "bam":
                self.bam[str(len(self.blocks) - 1)] = Bam(channels=width, reduction=reduction)
        self.classifier = nn.Linear(widths[-1], columns_of(classes))
        self.weight_uses = -(-uses // _weights(self))  # mean over the weights, for the live channel's budget
        uniform(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, *self.shape)
        maps = self.stem(self.standardise(laid_out(images, training=self.training)))
        for number, block in enumerate(self.blocks):
            maps = block(maps)
            if str(number) in self.bam:
                maps = self.bam[str(number)](maps)
        logits: Tensor = self.classifier(maps.mean((2, 3)))
        return logits


def _weights(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())

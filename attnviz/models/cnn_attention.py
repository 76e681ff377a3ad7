"""Three convolutions, optionally followed by attention over the blocks of the last feature map.

Source: "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu, Lee, 2018. The paper names two
convolutions. With a third one of 192 filters, as in the Keras implementation that provides its settings, the numbers of
parameters match those in the paper: 1.83 and 0.47 million for pictures of 28 x 28.

Differences: in the attention, see `attnviz.layers.block_attention`.

    our name         the paper's word
    conv.0, conv.1   the convolutional layers
    block            patch
    output           output dimension
"""

from typing import Literal

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.block_attention import BlockAttention, WithinBlocks, WithoutAttention
from attnviz.layers.convolution import ConvBlock
from attnviz.models.parts import check, columns_of, glorot
from attnviz.models.spec import receptive_fields

_ATTENTION = {"blocks": BlockAttention, "within": WithinBlocks, "zero": WithoutAttention}
FILTERS = 32, 64, 192


class CnnAttention(nn.Module):
    """Convolve, let the blocks of the feature map attend to one another, and classify from all of them.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        attention: "none"; "blocks", between blocks; "within", between the features of each block; or "zero", the same
            layers without any mixing.
        rows, columns: size of the pictures, which have one channel.
        heads: number of attention heads.
        output: number of output features per block. Without attention, a 1 x 1 convolution makes them; None keeps all.
        hidden: number of units of the layer before the logits.
        generator: draws the initial weights.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        attention: Literal["none", "blocks", "within", "zero"],
        rows: int = 28,
        columns: int = 28,
        heads: int = 8,
        output: int | None = 32,
        hidden: int = 256,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.rows, self.columns = rows, columns
        self.grid = grid = receptive_fields({"rows": rows, "columns": columns})
        self.weight_uses = grid.tokens  # upper limit of the mean uses per pass, for the live channel's budget
        first, second, third = FILTERS
        self.conv = nn.Sequential(
            ConvBlock(channels=1, output_channels=first, kernel=2, pool=2),
            ConvBlock(channels=first, output_channels=second, kernel=2, padding="valid", pool=2, whole=True),
            ConvBlock(channels=second, output_channels=third, kernel=2, padding="valid"),
        )
        self.narrow = nn.Conv2d(third, output, 1) if attention == "none" and output is not None else None
        self.attention = None
        if attention != "none":
            if attention not in _ATTENTION or output is None or third % heads:
                raise BadInput(
                    f"Attention must be none, blocks, within or zero, with heads that divide {third} features and a "
                    f"number of output features, not {attention!r}, {heads} and {output}."
                )
            self.attention = _ATTENTION[attention](features=third, heads=heads, output_features=output, grid=grid)
        self.hidden = nn.Linear(grid.tokens * (output or third), hidden)
        self.classifier = nn.Linear(hidden, columns_of(classes))
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, 1, self.rows, self.columns)
        maps = self.conv(images)  # (batch, channel, row, column)
        if self.narrow is not None:
            maps = self.narrow(maps).relu()
        blocks = maps.flatten(2).mT  # (batch, token, channel)
        if self.attention is not None:
            blocks = self.attention(blocks)
        logits: Tensor = self.classifier(self.hidden(blocks.flatten(1)).relu())
        return logits

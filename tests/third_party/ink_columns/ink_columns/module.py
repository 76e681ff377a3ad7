"""The torch module."""

import torch
from torch import Tensor, nn

from attnviz import Layer


class Columns(Layer):
    """Sum the ink of each column; the logits are those of a fixed line over them.

    Args:
        columns: how many there are.
    """

    taps = ("columns",)

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.line = nn.Linear(columns, 2)
        with torch.no_grad():
            self.line.weight.copy_(torch.linspace(-1, 1, 2 * columns).view(2, -1))
            self.line.bias.zero_()

    def forward(self, images: Tensor) -> Tensor:
        """Return logits, (batch, 2), of pictures (batch, channel, row, column)."""
        columns = self.tap("columns", images.sum((1, 2)), "batch column")
        logits: Tensor = self.line(columns)
        return logits

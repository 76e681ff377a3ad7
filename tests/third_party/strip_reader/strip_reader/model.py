"""A model that reads a strip digit by digit: every 28 columns, one distribution over the digits."""

import torch
from torch import Tensor, nn

from attnviz import Layer

SIDE = 28


class Reader(Layer):
    """See each digit of a strip as a few numbers."""

    taps = ("seen",)

    def __init__(self, features: int) -> None:
        super().__init__()
        self.what = nn.Linear(SIDE * SIDE, features)

    def forward(self, strips: Tensor) -> Tensor:
        """Return what is seen, (batch, step, feature), of strips (batch, 1, 28, 28 * step)."""
        digits = strips[:, 0].unfold(2, SIDE, SIDE)  # (batch, row, step, column)
        return self.tap("seen", self.what(digits.movedim(2, 1).flatten(2)).relu(), "batch token feature")


class StripReader(nn.Module):
    """A reader of strips of any length.

    Args:
        classes: the symbols.
        sizes: the numbers of hidden features, layer by layer.
        generator: of the initial weights.
    """

    def __init__(
        self, *, classes: tuple[str, ...], sizes: tuple[int, ...], generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        if not isinstance(sizes, tuple):
            raise TypeError("sizes must be a tuple")
        self.reader = Reader(sizes[0])
        self.hidden = nn.Sequential(*(nn.Linear(*both) for both in zip(sizes, sizes[1:], strict=False)))
        self.classifier = nn.Linear(sizes[-1], len(classes))
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.kaiming_uniform_(parameter, generator=generator)

    def forward(self, strips: Tensor) -> Tensor:
        """Return logits, (batch, step, class), of strips (batch, 1, 28, 28 * step) in 0..1."""
        logits: Tensor = self.classifier(self.hidden(self.reader(strips)))
        return logits

"""Controls: what the same data give without the mechanism. They stand beside every figure of a model with attention."""

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.models.parts import LEVELS, Standardise, check, columns_of, glorot, levels_of


class PixelLine(nn.Module):
    """A line through the pixels (logistic regression): no pixel ever looks at another.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        rows, columns: of the pictures, which have one channel.
        mean, std: of the intensities (0..1), to standardise them.
        generator: of the initial weights.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        rows: int = 28,
        columns: int = 28,
        mean: float,
        std: float,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.rows, self.columns = rows, columns
        self.standardise = Standardise(mean, std)
        features = self.seen(torch.zeros(1, 1, rows, columns)).shape[1]
        self.classifier = nn.Linear(features, columns_of(classes))
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(images, 1, self.rows, self.columns)
        logits: Tensor = self.classifier(self.standardise(self.seen(images)))
        return logits

    def seen(self, images: Tensor) -> Tensor:
        """Return what the line goes through: (batch, rows * columns), every pixel."""
        return images.flatten(1)


class Ink(PixelLine):
    """A line through the amount of ink: the mean intensity alone, whose mean and std the config then holds."""

    def seen(self, images: Tensor) -> Tensor:
        """Return what the line goes through: (batch, 1), the mean intensity."""
        return images.mean((2, 3))


class Histogram(nn.Module):
    """Count the intensities of a picture, without looking where they are, and judge by the counts alone.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        bins: how many equal ranges of intensities are counted; they divide 256.
        hidden: units of one hidden layer with ReLU between the counts and the answer, which then gets the logarithm of
            (1 + count); None for a line through the counts, each as a multiple of an even share.
        rows, columns: of the pictures, which have one channel.
        generator: of the initial weights.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        bins: int = 16,
        hidden: int | None = None,
        rows: int = 28,
        columns: int = 28,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if bins < 1 or LEVELS % bins:
            raise BadInput(f"{bins} bins do not divide {LEVELS} intensities evenly.")
        self.bins, self.hidden, self.rows, self.columns = bins, hidden, rows, columns
        width = columns_of(classes)
        self.classifier = (
            nn.Linear(bins, width)
            if hidden is None
            else nn.Sequential(nn.Linear(bins, hidden), nn.ReLU(), nn.Linear(hidden, width))
        )
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(images, 1, self.rows, self.columns)
        bins = (levels_of(images) * self.bins // LEVELS).flatten(1)
        counts = images.new_zeros(len(images), self.bins).scatter_add_(1, bins, torch.ones_like(bins).to(images))
        seen = counts * self.bins / bins.shape[1] if self.hidden is None else counts.log1p()
        logits: Tensor = self.classifier(seen)
        return logits

"""Controls: models without the mechanism, compared with every model that has it."""

import math

import torch
from torch import Tensor, nn

from attnviz.equal_tokens import level_counts
from attnviz.errors import BadInput
from attnviz.models.parts import LEVELS, Standardise, check, columns_of, glorot, levels_of


class PixelLine(nn.Module):
    """Logistic regression on the pixels: no pixel ever looks at another.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        channels, rows, columns: of the pictures.
        mean, std: of the intensities (0..1), to standardise them.
        generator: of the initial weights.

    Call Args:
        images: float (batch, channels, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        channels: int = 1,
        rows: int = 28,
        columns: int = 28,
        mean: float,
        std: float,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.shape = (channels, rows, columns)
        self.standardise = Standardise(mean, std)
        self.classifier = nn.Linear(self.inputs(), columns_of(classes))
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(images, *self.shape)
        logits: Tensor = self.classifier(self.standardise(self.seen(images)))
        return logits

    def inputs(self) -> int:
        """Return the number of inputs of the regression."""
        return math.prod(self.shape)

    def seen(self, images: Tensor) -> Tensor:
        """Return the inputs of the regression: (batch, channels * rows * columns), every number."""
        return images.flatten(1)


class Ink(PixelLine):
    """Logistic regression on the amount of ink, the mean intensity; the config holds its mean and std."""

    def inputs(self) -> int:
        """Return the number of inputs of the regression."""
        return 1

    def seen(self, images: Tensor) -> Tensor:
        """Return the input of the regression: (batch, 1), the mean intensity."""
        return images.mean((1, 2, 3))[:, None]


class PixelMlp(nn.Module):
    """A small network on the pixels: one hidden layer with ReLU, which sees the whole picture at once.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        hidden: units of the hidden layer.
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
        hidden: int,
        rows: int = 28,
        columns: int = 28,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.rows, self.columns = rows, columns
        self.hidden = nn.Linear(rows * columns, hidden)
        self.classifier = nn.Linear(hidden, columns_of(classes))
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(images, 1, self.rows, self.columns)
        logits: Tensor = self.classifier(self.hidden(images.flatten(1)).relu())
        return logits


class Histogram(nn.Module):
    """Count the intensities of a picture, wherever they are, and answer from the counts alone.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        bins: how many equal ranges of intensities are counted; they divide 256.
        hidden: units of one hidden layer with ReLU between the counts and the answer, which then gets the logarithm of
            (1 + count); None for logistic regression on the counts, each as a multiple of an even share.
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
        counts = level_counts(bins, self.bins).to(images)
        seen = counts * self.bins / bins.shape[1] if self.hidden is None else counts.log1p()
        logits: Tensor = self.classifier(seen)
        return logits

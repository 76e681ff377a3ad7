"""Controls: models without the mechanism, compared with every model that has it."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attnviz.equal_tokens import level_counts
from attnviz.errors import BadInput
from attnviz.models.parts import (
    LEVELS,
    Standardise,
    check,
    check_stages,
    columns_of,
    glorot,
    laid_out,
    levels_of,
    normal,
    uniform,
)


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
        check(self, images, *self.shape)
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
        check(self, images, 1, self.rows, self.columns)
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
        check(self, images, 1, self.rows, self.columns)
        bins = (levels_of(images) * self.bins // LEVELS).flatten(1)
        counts = level_counts(bins, self.bins).to(images)
        seen = counts * self.bins / bins.shape[1] if self.hidden is None else counts.log1p()
        logits: Tensor = self.classifier(seen)
        return logits


class PlainConv(nn.Module):
    """A small convolutional net of ordinary parts, at most as large as what it is a control of.

    Convolutions of 3 x 3 with batch normalisation and ReLU, a mean over regions, and a linear layer.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        channels, rows, columns: of the pictures.
        widths: channels of each convolution.
        strides: of each convolution.
        regions: the last maps are averaged to so many rows and columns.
        mean, std: of the intensities (0..1), to standardise them.
        generator: of the initial weights, drawn as torch draws them.

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
        widths: Sequence[int] = (24, 32, 40),
        strides: Sequence[int] = (2, 1, 2),
        regions: int = 4,
        mean: float = 0.0,
        std: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        check_stages(widths, strides)
        self.shape = (channels, rows, columns)
        self.standardise = Standardise(mean, std)
        parts: list[nn.Module] = []
        for taken, width, stride in zip((channels, *widths), widths, strides, strict=False):
            parts += [nn.Conv2d(taken, width, 3, stride, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        self.convolutions = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(regions))
        self.classifier = nn.Linear(widths[-1] * regions**2, columns_of(classes))
        uniform(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, *self.shape)
        logits: Tensor = self.classifier(self.convolutions(self.standardise(images)).flatten(1))
        return logits


class VGGControl(nn.Module):
    """Six convolutions, two of which halve the picture, and a linear layer; ReLU after every convolution.

    The convolutional net that element-wise attention was compared with.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        channels, rows, columns: of the pictures; rows and columns are multiples of 4.
        widths: channels of the first three and of the last three convolutions.
        generator: of the initial weights, N(0, 0.02) with biases 0.

    Call Args:
        images: float (batch, channels, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).

    Source: "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023,
    https://arxiv.org/abs/2302.05488, after "Very Deep Convolutional Networks", Simonyan and Zisserman, 2014,
    https://arxiv.org/abs/1409.1556.

    Differs: none. The text names the convolutions; its counts of 929,510 and 961,310 parameters leave no other choice.

        our name            the paper's word
        widths              number of filters
        classifier          fully connected layer, after flattening
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        channels: int = 1,
        rows: int = 28,
        columns: int = 28,
        widths: tuple[int, int] = (100, 200),
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if rows % 4 or columns % 4:
            raise BadInput(f"The control halves a picture twice: multiples of 4 were expected, not {rows} x {columns}.")
        self.shape = (channels, rows, columns)
        parts: list[nn.Module] = []
        for taken, width in zip((channels, widths[0]), widths, strict=True):
            parts += [nn.Conv2d(taken, width, 3, padding=1), nn.ReLU()]
            parts += [nn.Conv2d(width, width, 3, padding=1), nn.ReLU()]
            parts += [nn.Conv2d(width, width, 2, stride=2, bias=False), nn.ReLU()]
        self.convolutions = nn.Sequential(*parts)
        self.classifier = nn.Linear(widths[1] * (rows // 4) * (columns // 4), columns_of(classes))
        normal(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, *self.shape)
        images = laid_out(images, training=self.training)
        logits: Tensor = self.classifier(self.convolutions(images).flatten(1))
        return logits

"""Controls: models without the mechanism, which every model that has it is compared with."""

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
    """Logistic regression on the pixels: no pixel attends to another.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        channels, rows, columns: size of the pictures.
        mean, std: mean and standard deviation of the intensities (0..1), used to standardise them.
        generator: draws the initial weights.

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
        """Return the inputs of the regression, all numbers of a picture: (batch, channels * rows * columns)."""
        return images.flatten(1)


class Ink(PixelLine):
    """Logistic regression on the amount of ink, which is the mean intensity. The config holds its mean and std."""

    def inputs(self) -> int:
        """Return the number of inputs of the regression."""
        return 1

    def seen(self, images: Tensor) -> Tensor:
        """Return the input of the regression, the mean intensity: (batch, 1)."""
        return images.mean((1, 2, 3))[:, None]


class PixelMlp(nn.Module):
    """A small network on the pixels, with one hidden layer and ReLU, that sees the whole picture at once.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        hidden: number of hidden units.
        rows, columns: size of the pictures, which have one channel.
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
    """Count the intensities of a picture, regardless of their positions, and classify from the counts alone.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        bins: number of equal ranges of intensities that are counted; it divides 256.
        hidden: number of hidden units, with ReLU, in a layer whose inputs are the logarithms of (1 + count); None for
            logistic regression on the counts, each as a multiple of an even share.
        rows, columns: size of the pictures, which have one channel.
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
    """A small convolutional net of standard parts, no larger than the model that it is a control for.

    It has 3 x 3 convolutions with batch normalisation and ReLU, a mean over regions, and a linear layer.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        channels, rows, columns: size of the pictures.
        widths: channels of each convolution.
        strides: stride of each convolution.
        regions: number of rows and of columns that the last maps are averaged to.
        mean, std: mean and standard deviation of the intensities (0..1), used to standardise them.
        generator: draws the initial weights, as torch draws them.

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
    """Six convolutions with ReLU, two of which halve the picture, and a linear layer.

    This is the convolutional net that the paper compares element-wise attention with.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        channels, rows, columns: size of the pictures; rows and columns are multiples of 4.
        widths: channels of the first three and of the last three convolutions.
        generator: draws the initial weights, from N(0, 0.02), with biases 0.

    Call Args:
        images: float (batch, channels, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).

    Source: "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023,
    https://arxiv.org/abs/2302.05488, after "Very Deep Convolutional Networks", Simonyan and Zisserman, 2014,
    https://arxiv.org/abs/1409.1556.

    Differences: none. The text names the convolutions; only this choice gives its 929,510 and 961,310 parameters.

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

"""A small convolutional net of ordinary parts, without attention: a control of at most the size of what it controls."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attnviz.models.parts import Standardise, check, check_stages, columns_of, uniform


class PlainConv(nn.Module):
    """Convolutions of 3 x 3 with batch normalisation and ReLU, a mean over regions, and a linear layer.

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
        check(images, *self.shape)
        logits: Tensor = self.classifier(self.convolutions(self.standardise(images)).flatten(1))
        return logits

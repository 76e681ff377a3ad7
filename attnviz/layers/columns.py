"""Features of the columns of a strip, one column of features every 8 pixels.

Source: ours. Convolutions precede a recurrent network, as in "An End-to-End Trainable Neural Network for Image-based
Sequence Recognition", Shi, Bai, Yao, 2015, https://arxiv.org/abs/1507.05717, section 2.1, but are much smaller.

Differences: after each convolution, layer normalisation per position replaces batch normalisation. All strips of a
batch have the same length, so batch statistics would reveal that length, and in training only.
"""

from collections.abc import Sequence
from typing import ClassVar

from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers import intensities
from attnviz.tracing import Layer

ROWS = 28


PITCH = 8
"""Pixels from one column of features to the next."""


def tokens_of(cells: int) -> int:
    """Return the number of columns of features in a strip with `cells` pixels (rows times columns)."""
    return -(-cells // (ROWS * PITCH))


class PlaceNorm(nn.LayerNorm):
    """Layer normalisation over the channels, at each position of a picture.

    Call Args:
        input: float (batch, channel, row, column).
    """

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input.movedim(1, -1)).movedim(-1, 1)


class ColumnFeatures(Layer):
    """Three convolutions of stride 2 with normalisation, the last of which covers all remaining rows.

    Args:
        features: number of features per column.
        widths: number of filters of the first two convolutions.

    Call Args:
        images: float (batch, 1, 28, column) in 0..1.

    Returns:
        float (batch, ceil(column / 8), features), 0 or more; each column sees the 15 columns of pixels around it.

    Raises:
        BadInput: the pictures have other axes or another number of rows.
    """

    taps: ClassVar[tuple[str, ...]] = ("columns",)

    def __init__(self, *, features: int, widths: Sequence[int] = (16, 32)) -> None:
        super().__init__()
        first, second = widths
        self.convolutions = nn.Sequential(
            nn.Conv2d(1, first, 3, stride=2, padding=1), PlaceNorm(first), nn.ReLU(),
            nn.Conv2d(first, second, 3, stride=2, padding=1), PlaceNorm(second), nn.ReLU(),
            nn.Conv2d(second, features, (ROWS // 4, 3), stride=(1, 2), padding=(0, 1)), PlaceNorm(features),
            nn.ReLU(),
        )  # fmt: skip

    def forward(self, images: Tensor) -> Tensor:
        if (
            not intensities.is_dense(images)
            or images.ndim != 4
            or images.shape[1:3] != (1, ROWS)
            or not images.is_floating_point()
        ):
            raise BadInput(
                f"This model takes float strips in 0..1 of shape (batch, 1, {ROWS}, column), "
                f"not {intensities.described(images)}."
            )
        intensities.check(self, images)
        columns = self.convolutions(images).squeeze(2)  # (batch, features, column / 8)
        return self.tap("columns", columns.mT, axes="batch token feature")

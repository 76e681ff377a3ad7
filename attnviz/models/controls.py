"""Controls: what the same data give without the mechanism. They stand beside every figure of a model with attention."""

import torch
from torch import Tensor, nn

from attnviz.models.parts import Standardise, check, columns_of, glorot


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
        self.classifier = nn.Linear(rows * columns, columns_of(classes))
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(images, 1, self.rows, self.columns)
        logits: Tensor = self.classifier(self.standardise(images).flatten(1))
        return logits

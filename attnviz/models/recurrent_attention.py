"""The recurrent attention model: it sees a picture only through glimpses, and answers after the last one.

Source: "Recurrent Models of Visual Attention", Mnih et al., 2014, https://arxiv.org/abs/1406.6247. The defaults of
`features`, `width` and the retina are those of "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu,
Lee, 2018, for cluttered digits.

Differs: see `attnviz.layers.glimpse`, where its parts and their names in the paper are. Initial weights are Glorot's.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnviz.layers.glimpse import Glances, Glimpses
from attnviz.models.parts import check, columns_of, glorot


class RecurrentAttention(nn.Module):
    """Look at a picture in glimpses, then answer.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        rows, columns: of the pictures, which have one channel.
        glimpses: how many.
        size, scales: of the retina.
        generator: of the initial weights.
        options: all others of `attnviz.layers.glimpse.Glimpses`.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.
        generator: of the locations that are drawn; None looks at the mean of each instead.
        locations: float (batch or 1, glimpse, 2), (row, column) in -1..1, where to look; NaN leaves it to the policy.

    Returns:
        logits: float (batch, 1) or (batch, class), after the last glimpse.
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        rows: int = 28,
        columns: int = 28,
        glimpses: int = 6,
        size: int = 12,
        scales: int = 3,
        generator: torch.Generator | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.rows, self.columns = rows, columns
        self.weight_uses = glimpses  # how often a pass uses each weight, for the budget of the live channel
        self.glimpses = Glimpses(
            rows=rows, columns=columns, classes=columns_of(classes), glimpses=glimpses, size=size, scales=scales,
            **options,
        )  # fmt: skip
        glorot(self, generator)

    def forward(
        self, images: Tensor, *, generator: torch.Generator | None = None, locations: Tensor | None = None
    ) -> Tensor:
        return self.look(images, generator=generator, locations=locations).logits[:, -1]

    def look(
        self, images: Tensor, *, generator: torch.Generator | None = None, locations: Tensor | None = None
    ) -> Glances:
        """Return what happens during all glimpses; see the call arguments."""
        check(self, images, 1, self.rows, self.columns)
        glances: Glances = self.glimpses(images, generator=generator, locations=locations)
        return glances

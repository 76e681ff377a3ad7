"""The recurrent attention model, which sees a picture only through glimpses and answers after the last one.

Source: "Recurrent Models of Visual Attention", Mnih et al., 2014, https://arxiv.org/abs/1406.6247. The defaults of
`features`, `width` and the retina are those of "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu,
Lee, 2018, for cluttered digits.

Differences: see `attnviz.layers.glimpse`, with its parts and the paper's names for them. Initial weights are Glorot's.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnviz.layers.glimpse import Glances, Glimpses
from attnviz.models.parts import check, columns_of, glorot


class RecurrentAttention(nn.Module):
    """Look at a picture in glimpses, then classify it.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        rows, columns: size of the pictures, which have one channel.
        glimpses: number of glimpses.
        size, scales: arguments of the retina.
        generator: draws the initial weights.
        options: further arguments of `attnviz.layers.glimpse.Glimpses`.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.
        generator: draws the locations; if None, every glimpse is taken at the mean of its location.
        locations: float (batch or 1, glimpse, 2), (row, column) in -1..1, where to look; NaN: the policy decides.

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
        self.weight_uses = glimpses  # uses of each weight per pass, for the live channel's budget
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
        """Return the results of all glimpses; see the call arguments."""
        check(self, images, 1, self.rows, self.columns)
        glances: Glances = self.glimpses(images, generator=generator, locations=locations)
        return glances

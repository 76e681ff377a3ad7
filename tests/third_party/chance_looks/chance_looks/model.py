"""A model that looks at a few places, chosen by chance, and adds up what it sees."""

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d

from attnviz import Layer
from attnviz.models.parts import check, columns_of

SIDE, WIDE, POOL = 60, 20, 4


class Looks(Layer):
    """See a patch at each place, as a few numbers."""

    taps = ("location", "seen")

    def __init__(self, features: int) -> None:
        super().__init__()
        self.what = nn.Linear((WIDE // POOL) ** 2, features)

    def forward(self, images: Tensor, corners: Tensor) -> Tensor:
        """Return what is seen, summed over the looks: (batch, feature).

        Args:
            images: float (batch, 1, row, column).
            corners: int (batch, look, 2), the top left corners.
        """
        total = torch.zeros(())
        for look in corners.unbind(1):
            shares = 2 * look / (SIDE - WIDE) - 1
            self.tap("location", shares.to(images.dtype), "batch feature", per="glimpse")
            rows = (look[:, :1] + torch.arange(WIDE))[:, :, None]
            columns = (look[:, 1:] + torch.arange(WIDE))[:, None]
            patch = images[torch.arange(len(images))[:, None, None], 0, rows, columns]  # (batch, row, column)
            seen = self.what(avg_pool2d(patch, POOL).flatten(1)).relu()
            total = total + self.tap("seen", seen, "batch feature", per="glimpse")
        return total


class ChanceLooks(nn.Module):
    """A classifier of grey pictures of 60 x 60.

    Args:
        classes: their names.
        looks: how many places it looks at.
        generator: of the initial weights.
    """

    def __init__(self, *, classes: tuple[str, ...], looks: int = 6, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.count = looks
        self.looks = Looks(16)
        self.classifier = nn.Linear(16, columns_of(classes))
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.kaiming_uniform_(parameter, generator=generator)

    def forward(self, images: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """Look at places that the generator draws; without one, always at the same.

        Args:
            images: float (batch, 1, 60, 60) in 0..1.
            generator: draws the places of each picture; on the CPU.

        Returns:
            logits, float (batch, class).
        """
        check(self, images, 1, SIDE, SIDE)
        always = torch.Generator().manual_seed(1)
        corners = torch.randint(0, SIDE - WIDE + 1, (len(images), self.count, 2), generator=generator or always)
        if generator is None:
            corners = corners[:1].expand(len(images), -1, -1)  # the same for every picture
        logits: Tensor = self.classifier(self.looks(images, corners))
        return logits

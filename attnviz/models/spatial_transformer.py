"""Two convolutions and a hidden layer, with or without a spatial transformer before them.

Source: "Spatial Transformer Networks", Jaderberg, Simonyan, Zisserman, Kavukcuoglu, 2015,
https://arxiv.org/abs/1506.02025, section 4.1 and appendix A.4 (ST-CNN and CNN).

Differences: smaller convolutions (16 and 32 filters of 5 x 5) and a hidden layer, while the paper has two convolutions
of 32 and 64 filters of 9 x 9 and 7 x 7. The localisation network sees the picture at half its size.

    our name                   the paper's symbol or word
    transformer                ST
    transformer.localisation   f_loc, the localisation network
    transform                  Aff; rotation and crop are its restrictions in section 3.2
"""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.spatial_transformer import SpatialTransformer
from attnviz.models.parts import check, columns_of, mean_uses, uniform


class SpatialTransformerNet(nn.Module):
    """Optionally transform the picture, and classify the result.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        transform: "none", "affine", "rotation" or "crop", see `SpatialTransformer`.
        channels, rows, columns: size of the pictures; rows and columns are at least 4.
        widths: filters of the two convolutions.
        hidden: number of hidden units of the classifier.
        localisation_width, localisation_hidden: filters and hidden units of the localisation network.
        generator: draws the initial weights, as torch draws them; the transform starts as the identity.

    Call Args:
        images: float (batch, channels, rows, columns) in 0..1; 0 is background.

    Returns:
        logits: float (batch, 1) or (batch, class).

    Raises:
        BadInput: the transform is unknown, or the pictures are too small.
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        transform: Literal["none", "affine", "rotation", "crop"] = "affine",
        channels: int = 1,
        rows: int = 28,
        columns: int = 28,
        widths: Sequence[int] = (16, 32),
        hidden: int = 128,
        localisation_width: int = 16,
        localisation_hidden: int = 32,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if min(rows, columns) < 4:
            raise BadInput(f"The pictures must have at least 4 rows and 4 columns, not {rows} x {columns}.")
        self.shape = (channels, rows, columns)
        places = (rows // 4) * (columns // 4)
        self.transformer: SpatialTransformer | None = None
        computed_at: dict[nn.Module, int] = {}  # number of positions that each convolution is computed at
        if transform != "none":
            localisation = nn.Sequential(
                nn.AvgPool2d(2),
                nn.Conv2d(channels, localisation_width, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                nn.Linear(localisation_width * places, localisation_hidden), nn.ReLU(),
            )  # fmt: skip
            computed_at[localisation[1]] = (rows // 2) * (columns // 2)
            self.transformer = SpatialTransformer(
                localisation=localisation, features=localisation_hidden, transform=transform
            )
        first, second = widths
        self.convolutions = nn.Sequential(
            nn.Conv2d(channels, first, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(first, second, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        )  # fmt: skip
        self.hidden = nn.Linear(second * places, hidden)
        self.classifier = nn.Linear(hidden, columns_of(classes))
        computed_at |= {self.convolutions[0]: rows * columns, self.convolutions[3]: (rows // 2) * (columns // 2)}
        self.weight_uses = mean_uses(self, computed_at)
        uniform(self, generator)
        if self.transformer is not None:
            self.transformer.begin_as_identity()

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, *self.shape)
        if self.transformer is not None:
            images = self.transformer(images)
        logits: Tensor = self.classifier(self.hidden(self.convolutions(images)).relu())
        return logits

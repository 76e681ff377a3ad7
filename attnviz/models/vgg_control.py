"""The convolutional net that element-wise attention was compared with.

Source: "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023,
https://arxiv.org/abs/2302.05488, after "Very Deep Convolutional Networks", Simonyan and Zisserman, 2014,
https://arxiv.org/abs/1409.1556.

Differs: none. The text names the convolutions; its counts of 929,510 and 961,310 parameters leave no other choice.

    our name            the paper's word
    widths              number of filters
    classifier          fully connected layer, after flattening
"""

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.models.parts import check, columns_of, laid_out, normal


class VGGControl(nn.Module):
    """Six convolutions, two of which halve the picture, and a linear layer; ReLU after every convolution.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        channels, rows, columns: of the pictures; rows and columns are multiples of 4.
        widths: channels of the first three and of the last three convolutions.
        generator: of the initial weights, N(0, 0.02) with biases 0.

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
        check(images, *self.shape)
        images = laid_out(images, training=self.training)
        logits: Tensor = self.classifier(self.convolutions(images).flatten(1))
        return logits

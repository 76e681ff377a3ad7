"""A classifier of successive element-wise attention layers, which keep the shape of the picture.

Source: "Element-Wise Attention Layers: an option for optimization", Bacochina and Thom de Souza, 2023,
https://arxiv.org/abs/2302.05488.

Differences: none with the default options. Blocks of pixels can become channels before the first layer, intensities can
be standardised, and the convolutions and the last layer can be drawn as torch draws them, because the published model
takes too few steps to learn from its very small relevance.

    our name            the paper's word
    heads, layers       heads, layers
    output_norm         BatchNorm, in models A, C, E and G
    classifier          fully connected layer, after flattening
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import pixel_unshuffle

from attnviz.errors import BadInput
from attnviz.layers.element_wise import ElementWiseAttention, Mode, RelevanceNorm
from attnviz.models.parts import Standardise, check, columns_of, normal, uniform


class ElementWise(nn.Module):
    """Layers of element-wise attention, then a linear layer on all numbers of the last output.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        heads, layers: number of heads per layer, and of layers.
        channels, rows, columns: size of the pictures.
        unshuffle: side, in pixels, of the blocks whose pixels become channels, without parameters.
        mean, std: mean and standard deviation of the intensities (0..1), to standardise them; by default, no change.
        initial: how the convolutions and the classifier are drawn: "normal", N(0, 0.02) with biases 0, or "uniform", as
            torch draws them.
        arrays_std: standard deviation that the attention arrays are drawn with.
        output_norm, relevance_norm, eps, relevance_affine, skip, kernel, conv_bias, mode: options of the layers, see
            `ElementWiseAttention`.
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
        heads: int = 8,
        layers: int = 2,
        channels: int = 1,
        rows: int = 28,
        columns: int = 28,
        unshuffle: int = 1,
        mean: float = 0.0,
        std: float = 1.0,
        initial: Literal["normal", "uniform"] = "normal",
        arrays_std: float = 0.02,
        output_norm: float | None = None,
        relevance_norm: RelevanceNorm = "batch",
        eps: float = 1e-5,
        relevance_affine: bool = False,
        skip: bool = True,
        kernel: int = 3,
        conv_bias: bool = True,
        mode: Mode = "learnt",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if layers < 1 or unshuffle < 1 or rows % unshuffle or columns % unshuffle:
            raise BadInput(
                f"Element-wise attention needs at least one layer, not {layers}, and blocks that tile the picture: "
                f"{unshuffle} x {unshuffle} pixels do not tile {rows} x {columns}."
            )
        self.shape, self.unshuffle = (channels, rows, columns), unshuffle
        inside = (channels * unshuffle**2, rows // unshuffle, columns // unshuffle)
        self.standardise = Standardise(mean, std)
        self.layers = nn.ModuleList(
            ElementWiseAttention(
                channels=inside[0], rows=inside[1], columns=inside[2], heads=heads, kernel=kernel, bias=conv_bias,
                relevance_norm=relevance_norm, eps=eps, relevance_affine=relevance_affine, output_norm=output_norm,
                skip=skip, std=arrays_std, mode=mode, generator=generator,
            )
            for _ in range(layers)
        )  # fmt: skip
        self.classifier = nn.Linear(math.prod(inside), columns_of(classes))
        draw = normal if initial == "normal" else uniform
        draw(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, *self.shape)
        maps = pixel_unshuffle(self.standardise(images), self.unshuffle)
        for layer in self.layers:
            maps = layer(maps)
        logits: Tensor = self.classifier(maps.flatten(1))
        return logits

"""Two stages of convolution, normalisation and ReLU, then a linear classifier."""

import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool2d

from attnviz import Layer
from attnviz.models.parts import check, columns_of

MAPS = "batch channel row column"


class Stage(Layer):
    """Convolve, normalise over rows and columns, cut below zero.

    Args:
        channels_in, channels_out: of the feature maps.
    """

    taps = ("before_conv", "after_conv", "after_norm", "after_relu", "warmth")

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(channels_in, channels_out, 3, padding=1)
        self.norm = nn.GroupNorm(1, channels_out)

    def forward(self, maps: Tensor) -> Tensor:
        maps = self.tap("before_conv", maps, MAPS)
        maps = self.tap("after_conv", self.convolution(maps), MAPS)
        maps = self.tap("after_norm", self.norm(maps), MAPS)
        maps = self.tap("after_relu", maps.relu(), MAPS)
        self.tap("warmth", maps.mean(1), "batch row column")  # in no table of attnviz: it is drawn plainly
        return maps


class ColourStages(nn.Module):
    """A classifier of colour pictures.

    Args:
        classes: their names.
        channels: of the feature maps.
        generator: of the initial weights.
    """

    def __init__(
        self, *, classes: tuple[str, ...], channels: int = 6, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.stages = nn.Sequential(Stage(3, channels), Stage(channels, channels))
        self.classifier = nn.Linear(16 * channels, columns_of(classes))
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.kaiming_uniform_(parameter, generator=generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, 3, 32, 32)
        logits: Tensor = self.classifier(adaptive_avg_pool2d(self.stages(images), 4).flatten(1))
        return logits

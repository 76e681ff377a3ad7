"""The architectures, in teaching order. Every model: float images (batch, channel, row, column) in 0..1 to logits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput, UnknownName
from attnviz.models.controls import Histogram, Ink, PixelLine
from attnviz.models.pixel_attention import PixelAttention


@dataclass(frozen=True)
class ModelSpec:
    """One architecture.

    Args:
        title: for people.
        constructor: takes a config's entries as keywords, and `generator`.
        channels: of the pictures it takes.
        source: title, authors, year, link.
    """

    title: str
    constructor: Callable[..., nn.Module]
    channels: int
    source: str

    def build(self, config: Mapping[str, Any], generator: torch.Generator | None = None) -> nn.Module:
        """Build the model that a config describes, with fresh weights.

        Raises:
            BadInput: the config has an entry that the architecture does not know, or lacks one.
        """
        try:
            return self.constructor(**config, generator=generator)
        except TypeError as error:
            raise BadInput(f"This config does not fit {self.title!r}: {error}.") from error


MODELS: dict[str, ModelSpec] = {
    "ink": ModelSpec("The amount of ink", Ink, 1, "Logistic regression; a control"),
    "histogram_line": ModelSpec(
        "A line through the histogram of intensities", Histogram, 1, "Logistic regression; a control"
    ),
    "histogram_mlp": ModelSpec(
        "A small net on the histogram of intensities", Histogram, 1, "Multi-layer perceptron; a control"
    ),
    "pixel_line": ModelSpec("A line through the pixels", PixelLine, 1, "Logistic regression; a control"),
    "pixel_attention": ModelSpec(
        "Pixel attention", PixelAttention, 1, "Multi-Head Attention For Binary Classification, Schwarz, 2021"
    ),
}


def spec(name: str) -> ModelSpec:
    """Return an architecture by name.

    Raises:
        UnknownName: there is none of that name; the closest ones are listed.
    """
    if name not in MODELS:
        raise UnknownName("model", name, MODELS)
    return MODELS[name]


def probabilities(logits: Tensor) -> Tensor:
    """Turn logits, (batch, 1) for two classes or (batch, class), into probabilities (batch, class)."""
    if logits.shape[1] == 1:
        return torch.cat([-logits, logits], dim=1).sigmoid()
    return logits.softmax(1)

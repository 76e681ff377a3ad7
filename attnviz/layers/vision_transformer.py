"""The parts of a vision transformer: patches, positions, layers and the classifier.

Source: "An Image Is Worth 16x16 Words: Transformers for Image Recognition at Scale", Dosovitskiy et al., 2020,
https://arxiv.org/abs/2010.11929, section 3.1. Registers: "Vision Transformers Need Registers", Darcet et al., 2023,
https://arxiv.org/abs/2309.16588. The convolutional stem: "Early Convolutions Help Transformers See Better", Xiao et
al., 2021, https://arxiv.org/abs/2106.14881.

Differences: no dropout. A stem has enough convolutions to halve the picture down to the patches, and one of 1 x 1.

    our name       the paper's symbol or word
    features       D, the latent vector size
    hidden         the MLP size
    embedded       x_p E
    code           E_pos, here for the patches only
    attention      MSA
    feed_forward   MLP
    prefix         [class] and the [reg] registers
"""

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.tracing import Grid, Layer

_TOKENS = "batch token feature"


class PatchTokens(Layer):
    """Make a token of each patch of a picture, by one linear layer or by a few convolutions.

    Args:
        channels: number of channels of the pictures.
        patch: rows and columns of a patch, in pixels.
        features: number of features per token.
        stem: channels of 3 x 3 convolutions that each halve the picture, with batch normalisation and ReLU, followed by
            a 1 x 1 convolution. If empty, each patch is flattened and passes through one linear layer.

    Call Args:
        images: float (batch, channel, row, column), with rows and columns that are multiples of the patch.

    Returns:
        float (batch, token, features), row by row.

    Raises:
        BadInput: the convolutions do not halve the picture down to its patches.
    """

    taps: ClassVar[tuple[str, ...]] = ("embedded",)

    def __init__(self, *, channels: int, patch: int, features: int, stem: Sequence[int] = ()) -> None:
        super().__init__()
        if stem and 2 ** len(stem) != patch:
            raise BadInput(f"{len(stem)} convolutions that halve make patches of {2 ** len(stem)} pixels, not {patch}.")
        if stem:
            parts: list[nn.Module] = []
            for before, width in zip((channels, *stem), stem, strict=False):
                parts += [nn.Conv2d(before, width, 3, 2, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            self.project: nn.Module = nn.Sequential(*parts, nn.Conv2d(stem[-1], features, 1))
        else:
            self.project = nn.Conv2d(channels, features, patch, patch)

    def forward(self, images: Tensor) -> Tensor:
        maps: Tensor = self.project(images)
        return self.tap("embedded", maps.flatten(2).mT, axes=_TOKENS)


class LearntPositions(Layer):
    """Add a learnt position vector to each patch.

    Args:
        tokens, features: number of patches, and of features per patch.
        generator: draws the vectors, from N(0, 0.02).

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, features).
    """

    taps: ClassVar[tuple[str, ...]] = ("code",)

    def __init__(self, *, tokens: int, features: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.code = nn.Parameter(0.02 * torch.randn(tokens, features, generator=generator))

    def forward(self, tokens: Tensor) -> Tensor:
        return tokens + self.tap("code", self.code, axes="token feature")


class EvenAttention(Layer):
    """Every token takes the mean of all values, as attention would if all scores were equal.

    Args:
        features, heads, head_size: see `Attention`.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, features).
    """

    taps: ClassVar[tuple[str, ...]] = ("value", "mixed", "output")

    def __init__(self, *, features: int, heads: int, head_size: int) -> None:
        super().__init__()
        self.heads, self.head_size = heads, head_size
        self.value = nn.Linear(features, heads * head_size)
        self.output = nn.Linear(heads * head_size, features)

    def forward(self, tokens: Tensor) -> Tensor:
        value = self.value(tokens).unflatten(-1, (self.heads, self.head_size)).transpose(1, 2)
        value = self.tap("value", value, axes="batch head token feature")
        mixed = value.mean(-2, keepdim=True).expand_as(value)
        mixed = self.tap("mixed", mixed, axes="batch head token feature")
        return self.tap("output", self.output(mixed.transpose(1, 2).flatten(-2)), axes=_TOKENS)


class VisionLayer(Layer):
    """Attention and a feed-forward network, each preceded by normalisation and with a skip connection around it.

    Args:
        features, heads, hidden: features per token, number of attention heads, width of the feed-forward network.
        grid: where the tokens lie.
        even: whether every token takes the mean of all tokens instead of attending to them.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, features).
    """

    taps: ClassVar[tuple[str, ...]] = ("before_norm", "after_norm", "feed_forward", "output")

    def __init__(self, *, features: int, heads: int, hidden: int, grid: Grid, even: bool = False) -> None:
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(features), nn.LayerNorm(features)
        sizes = {"features": features, "heads": heads, "head_size": features // heads}
        self.attention: nn.Module = EvenAttention(**sizes) if even else Attention(**sizes, grid=grid)
        self.feed = nn.Sequential(nn.Linear(features, hidden), nn.GELU(), nn.Linear(hidden, features))

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = self.tap("before_norm", tokens, axes=_TOKENS)
        normed = self.tap("after_norm", self.norm(tokens), axes=_TOKENS)
        tokens = tokens + self.attention(normed)
        added = self.tap("feed_forward", self.feed(self.second_norm(tokens)), axes=_TOKENS)
        return self.tap("output", tokens + added, axes=_TOKENS)


class Answer(Layer):
    """Normalise the tokens, and compute the logits from the first token or from the mean of the patches.

    Args:
        features, classes: number of features per token, and of columns of the logits.
        prefix: number of tokens before the patches.
        mean: whether to use the mean of the patches instead of the first token.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        logits: float (batch, class).
    """

    taps: ClassVar[tuple[str, ...]] = ("logits",)

    def __init__(self, *, features: int, classes: int, prefix: int, mean: bool) -> None:
        super().__init__()
        self.prefix, self.mean = prefix, mean
        self.norm, self.scores = nn.LayerNorm(features), nn.Linear(features, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        normed = self.norm(tokens)
        read = normed[:, self.prefix :].mean(1) if self.mean else normed[:, 0]
        return self.tap("logits", self.scores(read), axes="batch class")

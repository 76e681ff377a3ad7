"""A small vision transformer: patches are tokens, and in each head of each layer every token attends to every token.

Source: "An Image Is Worth 16x16 Words: Transformers for Image Recognition at Scale", Dosovitskiy et al., 2020,
https://arxiv.org/abs/2010.11929. Registers: Darcet et al., 2023, https://arxiv.org/abs/2309.16588. The convolutional
stem: Xiao et al., 2021, https://arxiv.org/abs/2106.14881.

Differences: up to hundreds of thousands of weights, not 86 million; no dropout. Class token and registers have no
position, since a learnt one would only be added to another learnt vector. Linear layers are drawn from Glorot's uniform
distribution, with biases 0; class token, registers and positions from N(0, 0.02).

    our name       the papers' symbol or word
    layers         L, depth
    features       D
    heads          k
    reading        the class token, or global average pooling
    registers      [reg] tokens
"""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.vision_transformer import Answer, LearntPositions, PatchTokens, VisionLayer
from attnviz.models.parts import Standardise, check, columns_of, glorot
from attnviz.models.spec import SIDE, patches

Reading = Literal["class", "mean"]
Mixing = Literal["learnt", "even"]


class VisionTransformer(nn.Module):
    """Cut a picture into patches, let them attend to one another layer by layer, and classify.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        patch: rows and columns of a patch, in pixels; patches must tile the picture.
        stem: channels of the convolutions that make the tokens, see `PatchTokens`; empty for a linear layer.
        features: number of features per token, a multiple of `heads`.
        heads, hidden, layers: number of attention heads, width of the feed-forward networks, number of layers.
        reading: what the answer is computed from: "class", a class token, or "mean", the mean of the patches.
        registers: number of extra tokens that are not patches and that the answer does not read.
        positions: whether a learnt position vector is added to each patch.
        mixing: "learnt" attention, or "even": every token takes the mean of all values, in training too.
        channels, rows, columns: size of the pictures.
        mean, std: mean and standard deviation of the intensities (0..1), used to standardise them.
        generator: draws the initial weights.

    Call Args:
        images: float (batch, channels, rows, columns) in 0..1.

    Returns:
        logits: float (batch, 1) or (batch, class).

    Raises:
        BadInput: patches do not tile the picture, heads do not divide the features, or a word is unknown.
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        patch: int = 4,
        stem: Sequence[int] = (),
        features: int = 64,
        heads: int = 4,
        hidden: int = 192,
        layers: int = 4,
        reading: Reading = "class",
        registers: int = 0,
        positions: bool = True,
        mixing: Mixing = "learnt",
        channels: int = 1,
        rows: int = SIDE,
        columns: int = SIDE,
        mean: float = 0.0,
        std: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        for given, kind, what in ((reading, Reading, "reading"), (mixing, Mixing, "mixing")):
            if given not in get_args(kind):
                raise BadInput(f"The {what} must be one of {', '.join(get_args(kind))}, not {given!r}.")
        if min(heads, hidden, layers) < 1 or features % heads or registers < 0:
            raise BadInput(
                "Heads, hidden and layers must be above 0, the features a multiple of the heads, and registers 0 or "
                f"more, not {heads}, {hidden}, {layers}, {features} and {registers}."
            )
        self.shape = (channels, rows, columns)
        self.grid = patches(
            {"rows": rows, "columns": columns, "patch": patch, "reading": reading, "registers": registers}
        )
        self.standardise = Standardise(mean, std)
        self.patches = PatchTokens(channels=channels, patch=patch, features=features, stem=stem)
        lying = self.grid.rows * self.grid.columns
        self.positions = LearntPositions(tokens=lying, features=features, generator=generator) if positions else None
        prefix = self.grid.prefix
        self.prefix = nn.Parameter(0.02 * torch.randn(prefix, features, generator=generator)) if prefix else None
        self.layers = nn.ModuleList(
            VisionLayer(features=features, heads=heads, hidden=hidden, grid=self.grid, even=mixing == "even")
            for _ in range(layers)
        )
        self.answer = Answer(features=features, classes=columns_of(classes), prefix=prefix, mean=reading == "mean")
        self.weight_uses = self.grid.tokens  # maximum uses of a weight per forward pass, for the live channel's budget
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(self, images, *self.shape)
        tokens = self.patches(self.standardise(images))
        if self.positions is not None:
            tokens = self.positions(tokens)
        if self.prefix is not None:
            tokens = torch.cat([self.prefix.expand(len(tokens), -1, -1), tokens], 1)
        for layer in self.layers:
            tokens = layer(tokens)
        logits: Tensor = self.answer(tokens)
        return logits

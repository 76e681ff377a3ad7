"""Pixel-wise multi-head attention, in which every pixel is a token of one number.

Source: "Multi-Head Attention For Binary Classification", Schwarz, 2021. The layer is Keras' `MultiHeadAttention` and so
is the initialisation (Glorot's uniform distribution, biases 0).

Differences: the paper does not state the head size (its pictures suggest 1). Here the model standardises intensities, a
position code can be appended to each token, and the initial scores can be spread wider: when scores are nearly equal,
attention is a mean, and the model stays a linear one. The published weights treat the whole picture as one token, so
that every weight is 1 (as `patch=28` does); here every pixel is a token, as the paper's text and pictures say. Its
search also varies a skip connection and dropout, but does not say where they are. Here the tokens are added to the
output of the attention, and dropout follows. Both are off by default.

    our name       the paper's word
    heads          att_heads
    head_size      key_dim
    attention      MultiHeadAttention
    classifier     Dense, after Flatten
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, pixel_unshuffle

from attnviz.equal_tokens import level_counts
from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.layers.positions import LONGEST, Kind, PositionCode
from attnviz.layers.shortcuts import differentiated, transformed
from attnviz.models.parts import LEVELS, Standardise, check, columns_of, glorot, levels_of
from attnviz.models.spec import boxes


class PixelAttention(nn.Module):
    """Attention over the pixels of a picture, followed by a linear layer.

    Args:
        classes: names of the classes; two classes make one column of logits, the log-odds of the second.
        heads, head_size: number of attention heads, and of features per head.
        rows, columns: size of the pictures, which have one channel.
        mean, std: mean and standard deviation of the intensities (0..1), used to standardise them.
        pool: side, in pixels, of the squares that are averaged before tokens are made.
        patch: side, in pooled pixels, of a token, whose features are the intensities row by row.
        positions: kind of the position code appended to each token, or None.
        position_features, position_longest: size of that code, and its longest wavelength over 2 pi.
        query_key_std: standard deviation of the initial query and key weights, so that scores differ from the start;
            None draws them like all other weights.
        skip: whether the tokens are added to the output of the attention.
        dropout: probability, from 0 to below 1, that training sets an input of the linear layer to 0.
        generator: draws the initial weights.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.
        generator: draws the dropout; required in training mode, and on the CPU.

    Returns:
        logits: float (batch, 1) or (batch, class).
    """

    def __init__(
        self,
        *,
        classes: tuple[str, ...],
        heads: int = 1,
        head_size: int = 1,
        rows: int = 28,
        columns: int = 28,
        mean: float,
        std: float,
        pool: int = 1,
        patch: int = 1,
        positions: Kind | None = None,
        position_features: int = 0,
        position_longest: float = LONGEST,
        query_key_std: float | None = None,
        skip: bool = False,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if not 0 <= dropout < 1:
            raise BadInput(f"dropout is a share from 0 to below 1, not {dropout}.")
        if positions is None and position_features:
            raise BadInput(f"position_features={position_features} without positions: say which position code to join.")
        self.shape, self.pool, self.patch = (rows, columns), pool, patch
        self.skip, self.dropout = skip, dropout
        self.grid = grid = boxes({"rows": rows, "columns": columns, "pool": pool, "patch": patch})
        features = patch * patch + position_features  # per token: [intensities, code]
        self.standardise = Standardise(mean, std)
        self.positions = (
            PositionCode(
                kind=positions, features=position_features, grid=grid, longest=position_longest, generator=generator
            )
            if positions
            else None
        )
        self.attention = Attention(features=features, heads=heads, head_size=head_size, grid=grid)
        self.classifier = nn.Linear(grid.tokens * features, columns_of(classes))
        glorot(self, generator)
        if query_key_std is not None:
            for part in (self.attention.query, self.attention.key):
                nn.init.normal_(part.weight, std=query_key_std, generator=generator)

    def forward(self, images: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        check(self, images, 1, *self.shape)
        levels = self.levels(images)
        attended = self.attention(self.tokens(images)) if levels is None else self.attend_levels(levels)
        if self.skip:
            attended = attended + self.tokens(images)
        if self.training and self.dropout:
            attended = attended * self._kept(attended, generator)
        logits: Tensor = self.classifier(attended.flatten(1))  # from (batch, token, features)
        return logits

    def _kept(self, attended: Tensor, generator: torch.Generator | None) -> Tensor:
        """Return the dropout factors, 0 or 1 / (1 - dropout), which preserve the mean; shaped like `attended`."""
        if generator is None:
            raise BadInput("Training with dropout needs a generator: model(images, generator=generator).")
        kept = 1 - self.dropout
        return torch.empty(attended.shape).bernoulli_(kept, generator=generator).to(attended) / kept

    def tokens(self, images: Tensor) -> Tensor:
        """Return the inputs of the attention, (batch, token, features), where features are [intensities, code]."""
        pooled = avg_pool2d(self.standardise(images), self.pool)
        tokens = pixel_unshuffle(pooled, self.patch).flatten(2).mT  # (batch, token, patch * patch)
        return tokens if self.positions is None else self.positions(tokens)

    def levels(self, images: Tensor) -> Tensor | None:
        """Return each pixel's level k, int (batch, token), if attention over levels is equivalent, else None.

        It is equivalent if tokens are pixels, pixels of one intensity are equal (no positions), every intensity is
        exactly k/255, nothing listens to the attention among the pixels themselves, and no derivative is taken with
        respect to the picture, because a level is a count and has none.
        """
        if self.positions is not None or self.grid.stride > 1 or torch.compiler.is_compiling():
            return None
        if any(self.attention.hears(name) for name in self.attention.taps):
            return None
        if differentiated(images) or transformed(*self.parameters()):
            return None
        levels = levels_of(images)
        return levels.flatten(1) if torch.equal(levels.to(images.dtype) / (LEVELS - 1), images) else None

    def attend_levels(self, levels: Tensor) -> Tensor:
        """Attend over at most 256 intensities, weighted by their counts, not over all pixels; the result is the same.

        Args:
            levels: int (batch, token) in 0..255.

        Returns:
            float (batch, token, 1), equal to the attention over the pixels.
        """
        intensities = torch.arange(LEVELS, device=levels.device, dtype=self.classifier.weight.dtype) / (LEVELS - 1)
        counts = level_counts(levels, LEVELS).to(intensities)
        attended = self.attention.over_levels(self.standardise(intensities)[:, None], counts)  # (batch, level, 1)
        return attended.gather(1, levels[..., None])

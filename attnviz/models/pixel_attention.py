"""Pixel-wise multi-head attention: every pixel is a token of one number.

Source: "Multi-Head Attention For Binary Classification", Schwarz, 2021; the layer is Keras' `MultiHeadAttention`, and
so is the initialisation (Glorot's uniform, biases 0).

Differs: the head size is not said there (1, to judge by its pictures); intensities are standardised inside the model;
a position code can be joined to each token. Its supplementary code enters the whole picture as one token, which makes
every weight 1; here the pixels are 784 tokens, as its text and pictures say.

    our name       the paper's word
    heads          att_heads
    head_size      key_dim
    attention      MultiHeadAttention
    classifier     Dense, after Flatten
"""

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.layers.positions import Kind, PositionCode
from attnviz.models.parts import Standardise, check, columns_of, glorot
from attnviz.tracing import Grid

LEVELS = 256  # of an 8-bit picture


class PixelAttention(nn.Module):
    """Attention over the pixels of a picture, then a line through what they became.

    Args:
        classes: their names; two of them make one column of logits, the log-odds of the second.
        heads, head_size: of the attention.
        rows, columns: of the pictures, which have one channel.
        mean, std: of the intensities (0..1), to standardise them.
        positions: the position code to join to each token, or None.
        position_features: numbers of that code.
        generator: of the initial weights.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.

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
        positions: Kind | None = None,
        position_features: int = 0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if positions is None and position_features:
            raise BadInput(f"position_features={position_features} without positions: say which position code to join.")
        self.grid = grid = Grid(rows, columns)
        features = 1 + position_features  # of a token: [intensity, code]
        self.standardise = Standardise(mean, std)
        self.positions = (
            PositionCode(kind=positions, features=position_features, grid=grid, generator=generator)
            if positions
            else None
        )
        self.attention = Attention(features=features, heads=heads, head_size=head_size, grid=grid)
        self.classifier = nn.Linear(grid.tokens * features, columns_of(classes))
        glorot(self, generator)

    def forward(self, images: Tensor) -> Tensor:
        check(images, 1, self.grid.rows, self.grid.columns)
        levels = self.levels(images)
        if levels is None:
            tokens = self.standardise(images).flatten(1)[..., None]  # (batch, token, 1)
            if self.positions is not None:
                tokens = self.positions(tokens)  # (batch, token, 1 + position_features)
            attended = self.attention(tokens)  # (batch, token, 1 + position_features)
        else:
            attended = self.attend_levels(levels)
        logits: Tensor = self.classifier(attended.flatten(1))
        return logits

    def levels(self, images: Tensor) -> Tensor | None:
        """Return each pixel's level k, int (batch, token), where attention over levels is the same thing, else None.

        It is where nothing tells pixels of one intensity apart (no positions), every intensity is k/255 exactly, and
        nobody listens to the attention among the pixels themselves.
        """
        listened = any(self.attention.hears(name) for name in self.attention.taps)
        if self.positions is not None or listened or torch.compiler.is_compiling():
            return None
        levels = (images * (LEVELS - 1)).round().clamp(0, LEVELS - 1)
        return levels.flatten(1).long() if torch.equal(levels / (LEVELS - 1), images) else None

    def attend_levels(self, levels: Tensor) -> Tensor:
        """Attend over at most 256 intensities, weighted by their counts, instead of over all pixels: the same numbers.

        Args:
            levels: int (batch, token) in 0..255.

        Returns:
            float (batch, token, 1), as the attention over the pixels gives it.
        """
        intensities = torch.arange(LEVELS, device=levels.device, dtype=self.classifier.weight.dtype) / (LEVELS - 1)
        counts = levels.new_zeros(len(levels), LEVELS).scatter_add_(1, levels, torch.ones_like(levels)).to(intensities)
        attended = self.attention.over_levels(self.standardise(intensities)[:, None], counts)  # (batch, level, 1)
        return attended.gather(1, levels[..., None])

"""Attention over the blocks of a feature map, and two controls of the same size.

Source: "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu, Lee, 2018, section 2.2. The layers
follow the Keras implementation that provides its settings (johnsmithm/multi-heads-attention-image-classification,
2018).

Differences: that implementation compares features within a block, never one block with another. Here it is the control
`WithinBlocks`; `BlockAttention` is what the paper describes. The normalisation adds its epsilon under the root,
because otherwise a block whose features are all 0 would have no gradient.

    our name       the paper's word
    token          block
    joined         the concatenated heads plus the block itself
    output         the output of multi-head attention, after the normalisation layer
"""

import torch
from torch import Tensor, nn

from attnviz.layers.attention import Attention
from attnviz.tracing import Grid

EPSILON = 1e-6


class BlockAttention(Attention):
    """Multi-head attention whose queries, keys and values pass through ReLU. The block itself is added before the
    projection, and the result passes through ReLU and layer normalisation.

    Args:
        features: number of features per block.
        heads: number of attention heads, which share the features evenly.
        output_features: number of output features per block.
        grid: where the blocks lie in the picture.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, output_features).
    """

    taps = (*Attention.taps[:-1], "joined", "output")

    def __init__(self, *, features: int, heads: int, output_features: int, grid: Grid | None = None) -> None:
        super().__init__(
            features=features, heads=heads, head_size=features // heads, output_features=output_features, grid=grid
        )
        self.norm = nn.LayerNorm(output_features, eps=EPSILON)

    def forward(self, tokens: Tensor) -> Tensor:
        mixed = self.mix(tokens)  # (batch, head, token, head_size)
        joined = self.tap("joined", mixed.transpose(1, 2).flatten(2) + tokens, axes="batch token feature")
        return self.tap("output", self.norm(self.output(joined).relu()), axes="batch token feature")

    def split(self, tokens: Tensor) -> Tensor:
        """Apply ReLU to the features and split them into heads.

        Args:
            tokens: float (batch, token, features).

        Returns:
            float (batch, head, token, head_size), 0 or more.
        """
        return super().split(tokens.relu())


class WithinBlocks(BlockAttention):
    """The same layers, except that the features of a block attend to one another and no block sees another."""

    taps = ("query", "key", "value", "feature_scores", "feature_weights", "mixed", "joined", "output")

    def mix(self, tokens: Tensor) -> Tensor:
        """Mix the features of each block with one another.

        Args:
            tokens: float (batch, token, features).

        Returns:
            float (batch, head, token, head_size).
        """
        axes = "batch head token feature"
        made = [self.split(part(tokens)) for part in (self.query, self.key, self.value)]
        query, key, value = (
            self.tap(name, part, axes=axes).transpose(1, 2)  # (batch, token, head, feature)
            for name, part in zip(("query", "key", "value"), made, strict=True)
        )
        pairs = "batch token target_feature source_feature"
        scores = self.tap("feature_scores", query.mT @ key * self.head_size**-0.5, axes=pairs)
        weights = self.tap("feature_weights", scores.softmax(-1), axes=pairs)
        return self.tap("mixed", (value @ weights.mT).transpose(1, 2), axes=axes)


class WithoutAttention(BlockAttention):
    """The same layers with zeros in place of the mixed values, so that query, key and value have no effect."""

    taps = ("mixed", "joined", "output")

    def mix(self, tokens: Tensor) -> Tensor:
        """Return zeros in place of the mixed values.

        Args:
            tokens: float (batch, token, features).

        Returns:
            float (batch, head, token, head_size), all 0.
        """
        zeros = torch.zeros_like(self.split(tokens))
        return self.tap("mixed", zeros, axes="batch head token feature")

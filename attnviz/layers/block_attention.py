"""Attention over the blocks of a feature map, and two controls of the same size.

Source: "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu, Lee, 2018, section 2.2; the layers are
those of the Keras implementation that its settings come from (johnsmithm/multi-heads-attention-image-classification,
2018).

Differs: that implementation compares the features of a block with one another and never one block with another. It is
`WithinBlocks` here, a control. `BlockAttention` is what the paper describes. The normalisation has its epsilon under
the root: elsewhere, a block whose features are all 0 would have no gradient.

    our name       the paper's word
    token          block
    joined         the heads side by side, with the block itself added
    output         the output of multi-head attention, after the normalisation layer
"""

import torch
from torch import Tensor, nn

from attnviz.layers.attention import Attention
from attnviz.tracing import Grid

EPSILON = 1e-6


class BlockAttention(Attention):
    """Multi-head attention whose queries, keys and values pass through ReLU; the block itself is added before the
    projection, and what comes out passes through ReLU and is normalised.

    Args:
        features: of a block.
        heads: they share the features evenly.
        output_features: of a block afterwards.
        grid: where the blocks lie on the picture.

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
        """Pass the features through ReLU, and give each head its part of them.

        Args:
            tokens: float (batch, token, features).

        Returns:
            float (batch, head, token, head_size), 0 or more.
        """
        return super().split(tokens.relu())


class WithinBlocks(BlockAttention):
    """The same layers, but features of a block attend to features of the same block: no block sees another."""

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
    """The same layers with zeros in place of the mixed values: query, key and value have no effect."""

    taps = ("mixed", "joined", "output")

    def mix(self, tokens: Tensor) -> Tensor:
        """Return zeros in place of mixed values.

        Args:
            tokens: float (batch, token, features).

        Returns:
            float (batch, head, token, head_size), all 0.
        """
        zeros = torch.zeros_like(self.split(tokens))
        return self.tap("mixed", zeros, axes="batch head token feature")

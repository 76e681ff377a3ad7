"""Multi-head dot-product attention.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.2; the free
choice of head size and of output features is Keras' `MultiHeadAttention`.

Differences: none. If features = heads x head size, it equals `torch.nn.MultiheadAttention`.

    our name       the paper's symbol
    query, key     Q W^Q, K W^K
    value          V W^V
    scores         Q K^T / sqrt(d_k)
    weights        softmax(Q K^T / sqrt(d_k))
    mixed          head_i
    output         Concat(head_1, ..., head_h) W^O
    head_size      d_k = d_v
"""

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from attnviz.equal_tokens import Repeats, mean_over_levels, repeated
from attnviz.errors import BadInput
from attnviz.layers.shortcuts import differentiated, transformed
from attnviz.tracing import Grid, Layer

_TOKENS = "batch head token feature"


def scores_of(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the scores, Q K^T / sqrt(d_k).

    Args:
        query: float (..., query, feature).
        key: float (..., key, feature).
        mask: float (query, key), or any shape that broadcasts to the scores; added to them, with -inf where a query
            must not attend to a key. None adds nothing.

    Returns:
        float (..., query, key).
    """
    scores: Tensor = query @ key.mT * query.shape[-1] ** -0.5
    return scores if mask is None else scores + mask


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return softmax(Q K^T / sqrt(d_k)) V, computed by the fused kernel, which never stores the weights.

    Args:
        query: float (batch, head, query, feature).
        key, value: float (batch, head, key, feature).
        mask: see `scores_of`.

    Returns:
        float (batch, head, query, feature), the weighted means of the values.
    """
    return scaled_dot_product_attention(query, key, value, attn_mask=mask)


def attend_once(query: Tensor, key: Tensor, value: Tensor, repeats: Repeats) -> Tensor:
    """Attend among the distinct tokens only, counting each as often as it occurs. Equals `attend` up to rounding.

    For a drawn digit this takes a tenth of the time.

    Args:
        query, key, value: float (batch, head, token, feature).
        repeats: where the tokens behind query, key and value repeat.

    Returns:
        float (batch, head, token, feature).
    """
    times = repeats.times.to(query.dtype).log()[None, None, None]  # exp(score + log n) is n times exp(score)
    queries, keys, values = (part[:, :, repeats.first] for part in (query, key, value))
    return attend(queries, keys, values, times)[:, :, repeats.which]


class Attention(Layer):
    """In each head, every token attends to every token and takes a weighted mean of their values.

    Args:
        features: number of features per token.
        heads: number of attention heads.
        head_size: number of features of the query, key and value in each head.
        output_features: number of output features per token; `features` by default.
        grid: where the tokens lie in the picture, for drawing.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, output_features).
    """

    taps: ClassVar[tuple[str, ...]] = ("query", "key", "value", "scores", "weights", "mixed", "output")
    spells_pairs: ClassVar[tuple[str, ...]] = ("scores", "weights")
    """The taps for which the layer must compute a number for each pair of tokens instead of the weighted sum alone."""

    def __init__(
        self, *, features: int, heads: int, head_size: int, output_features: int | None = None, grid: Grid | None = None
    ) -> None:
        super().__init__()
        if min(features, heads, head_size) < 1:
            raise BadInput(
                f"Attention needs features, heads and head size above 0, not {(features, heads, head_size)}."
            )
        self.heads, self.head_size, self.grid = heads, head_size, grid
        self.query = nn.Linear(features, heads * head_size)
        self.key = nn.Linear(features, heads * head_size)
        self.value = nn.Linear(features, heads * head_size)
        self.output = nn.Linear(heads * head_size, output_features or features)

    def pairs(self, cells: int) -> int:
        """Return the number of pairs of tokens compared for one picture, over all heads. Without a grid, the picture's
        cells (rows times columns) are the tokens.
        """
        tokens = self.grid.tokens if self.grid else cells
        return self.heads * tokens**2

    def forward(self, tokens: Tensor) -> Tensor:
        return self.tap("output", self.join(self.mix(tokens)), axes="batch token feature")

    def mix(self, tokens: Tensor) -> Tensor:
        """Return the weighted means of the values, before the output projection.

        Args:
            tokens: float (batch, token, features).

        Returns:
            float (batch, head, token, head_size).
        """
        made = [self.split(part(tokens)) for part in (self.query, self.key, self.value)]
        query = self.tap("query", made[0], axes=_TOKENS)
        key = self.tap("key", made[1], axes=_TOKENS)
        value = self.tap("value", made[2], axes=_TOKENS)
        if self.hears("scores") or self.hears("weights") or transformed(query, key, value):
            scores = self.tap("scores", scores_of(query, key), axes="batch head query key")
            weights = self.tap("weights", scores.softmax(-1), axes="batch head query key")
            mixed = weights @ value
        elif (repeats := _repeats(tokens, made, (query, key, value))) is not None:
            mixed = attend_once(query, key, value, repeats)
        else:
            mixed = attend(query, key, value)
        return self.tap("mixed", mixed, axes=_TOKENS)

    def over_levels(self, tokens: Tensor, counts: Tensor) -> Tensor:
        """Attend among a few distinct tokens that each occur many times: exactly, with far less work.

        See `attnviz.equal_tokens`. One table of scores serves a whole batch of pictures.

        Args:
            tokens: float (level, features), the distinct tokens. Scores must rise or fall monotonically along them, as
                they do for evenly spaced intensities.
            counts: float (batch, level), counts of each token per picture, 0 or more, at least one of them above 0.

        Returns:
            float (batch, level, output_features), the output for a token of that level in that picture.
        """
        query, key = (self.split(part(tokens)) for part in (self.query, self.key))
        scores = scores_of(query, key)  # (head, level, level)
        # The weighted mean of the values is the value of the tokens' weighted mean, and tokens have fewer numbers.
        mean = mean_over_levels(scores, tokens, counts)  # (batch, head, level, features)
        weight = self.value.weight.unflatten(0, (self.heads, self.head_size))  # (head, head_size, features)
        bias = self.value.bias.unflatten(0, (self.heads, 1, self.head_size))
        return self.join(mean @ weight.mT + bias)

    def split(self, tokens: Tensor) -> Tensor:
        """Split the features into heads.

        Args:
            tokens: float (..., token, heads * head_size).

        Returns:
            float (..., head, token, head_size).
        """
        parts: Tensor = tokens.unflatten(-1, (self.heads, self.head_size))
        return parts.transpose(-3, -2)

    def join(self, mixed: Tensor) -> Tensor:
        """Concatenate the heads and project them.

        Args:
            mixed: float (..., head, token, head_size).

        Returns:
            float (..., token, output_features).
        """
        projected: Tensor = self.output(mixed.transpose(-3, -2).flatten(-2))
        return projected


def _repeats(tokens: Tensor, made: Sequence[Tensor], heard: Sequence[Tensor]) -> Repeats | None:
    """Return where tokens repeat, or None if that cannot be used: after an edit, or when a derivative is taken."""
    edited = any(one is not other for one, other in zip(made, heard, strict=True))
    derived = torch.is_grad_enabled() or torch.compiler.is_compiling() or differentiated(tokens)
    return None if edited or derived else repeated(tokens)

"""The layers of a Transformer for sequences: encoder, decoder and position codes.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.

Differences: normalisation comes before each part, not after it (pre-norm), which trains without a long warm-up: "On
Layer Normalization in the Transformer Architecture", Xiong et al., 2020, https://arxiv.org/abs/2002.04745. No dropout.

    our name          the paper's symbol or word
    features          d_model
    hidden            d_ff
    attention         self-attention, masked in the decoder
    cross             encoder-decoder attention
    code              PE
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from attnviz.layers.positions import sinusoids
from attnviz.layers.sequence_attention import Known, Offered, SequenceAttention
from attnviz.tracing import Layer

_TOKENS = "batch token feature"


class AddedPositions(Layer):
    """Add sinusoidal position codes to the tokens.

    Args:
        features: number of features per token, a multiple of 2.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, features).
    """

    taps: ClassVar[tuple[str, ...]] = ("code",)

    def __init__(self, *, features: int) -> None:
        super().__init__()
        self.features = features

    def forward(self, tokens: Tensor) -> Tensor:
        return tokens + self.codes(tokens.shape[1], tokens)

    def codes(self, places: int, like: Tensor) -> Tensor:
        """Return the codes of the first positions, float (position, features).

        Args:
            places: number of positions.
            like: a tensor with the dtype and device to use.
        """
        dtype = torch.promote_types(like.dtype, torch.float32)
        code = sinusoids(torch.arange(places, device=like.device), self.features, dtype=dtype)
        return self.tap("code", code.to(like.dtype), axes="token feature")


class FeedForward(nn.Sequential):
    """Two linear layers with ReLU between them, applied to each token.

    Args:
        features, hidden: number of features per token and of hidden units.
    """

    def __init__(self, *, features: int, hidden: int) -> None:
        super().__init__(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, features))


class EncoderLayer(Layer):
    """Self-attention and a feed-forward network, each preceded by normalisation and with a skip connection around it.

    Args:
        features: number of features per token, a multiple of `heads`.
        heads, hidden: number of attention heads, and width of the feed-forward network.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, features).
    """

    taps: ClassVar[tuple[str, ...]] = ("before_norm", "after_norm", "output")

    def __init__(self, *, features: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(features), nn.LayerNorm(features)
        self.attention = SequenceAttention(features=features, heads=heads, head_size=features // heads)
        self.feed_forward = FeedForward(features=features, hidden=hidden)

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = self.tap("before_norm", tokens, axes=_TOKENS)
        normed = self.tap("after_norm", self.norm(tokens), axes=_TOKENS)
        tokens = tokens + self.attention(normed)
        return self.tap("output", tokens + self.feed_forward(self.second_norm(tokens)), axes=_TOKENS)


class DecoderLayer(Layer):
    """Masked self-attention, attention to the encoder's output, and a feed-forward network, with norms and skips as in
    `EncoderLayer`. It computes all steps of a text at once, or one step at a time from the steps before it.

    Args:
        features: number of features per token, a multiple of `heads`.
        heads, hidden: number of attention heads, and width of the feed-forward network.

    Call Args:
        steps: float (batch, step, features), the steps to compute.
        memory: the keys and values of the encoder's output, from `self.cross.offer`; the same for all steps.
        allowed: float (query, key) in 0..1: 1 if a step may attend to another, 0 if not. Numbers in between scale the
            weight before normalisation.
        known: the keys and values of earlier steps if one step is computed at a time, to which this step's are added;
            None if `steps` holds all steps.

    Returns:
        float (batch, step, features).
    """

    taps: ClassVar[tuple[str, ...]] = ("before_norm", "after_norm", "mask", "output")

    def __init__(self, *, features: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.norm, self.second_norm, self.third_norm = (nn.LayerNorm(features) for _ in range(3))
        self.attention = SequenceAttention(features=features, heads=heads, head_size=features // heads)
        self.cross = SequenceAttention(features=features, heads=heads, head_size=features // heads)
        self.feed_forward = FeedForward(features=features, hidden=hidden)

    def forward(self, steps: Tensor, memory: Offered, allowed: Tensor, known: Known | None = None) -> Tensor:
        per = None if known is None else "step"
        steps = self.tap("before_norm", steps, axes=_TOKENS, per=per)
        normed = self.tap("after_norm", self.norm(steps), axes=_TOKENS, per=per)
        mask = self.tap("mask", allowed, axes="query key", per=per).log()  # exp(score + log m) is m times exp(score)
        offered = self.attention.offer(normed, per)
        steps = steps + self.attention.look(normed, offered if known is None else known.with_step(offered), mask, per)
        steps = steps + self.cross.look(self.second_norm(steps), memory, per=per)
        return self.tap("output", steps + self.feed_forward(self.third_norm(steps)), axes=_TOKENS, per=per)

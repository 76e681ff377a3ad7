"""The layers of a Transformer for sequences: encoder, decoder, and the codes of the positions.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.

Differs: each part is normalised before and not after it (norm first), which trains without a long warm-up: "On Layer
Normalization in the Transformer Architecture", Xiong et al., 2020, https://arxiv.org/abs/2002.04745. No dropout.

    our name          the paper's symbol or word
    features          d_model
    hidden            d_ff
    attention         self-attention; in the decoder it is masked
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
    """Add the sinusoidal code of its place to each token.

    Args:
        features: numbers of a token, a multiple of 2.

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
        """Return the codes of the first places, float (place, features).

        Args:
            places: how many.
            like: of whose type and on whose device.
        """
        dtype = torch.promote_types(like.dtype, torch.float32)
        code = sinusoids(torch.arange(places, device=like.device), self.features, dtype=dtype)
        return self.tap("code", code.to(like.dtype), axes="token feature")


class FeedForward(nn.Sequential):
    """Two linear layers with ReLU between them, applied to each token.

    Args:
        features, hidden: numbers of a token, and of the layer in between.
    """

    def __init__(self, *, features: int, hidden: int) -> None:
        super().__init__(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, features))


class EncoderLayer(Layer):
    """Self-attention and a feed-forward network, each with a normalisation before and a skip connection around it.

    Args:
        features: numbers of a token, a multiple of the heads.
        heads, hidden: attention heads, and the width of the feed-forward network.

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
    """Masked self-attention, attention to the encoder's output, and a feed-forward network; norms and skips as above.

    It runs over all steps of a text at once, or over one step at a time, for which it is given the steps so far.

    Args:
        features: numbers of a token, a multiple of the heads.
        heads, hidden: attention heads, and the width of the feed-forward network.

    Call Args:
        steps: float (batch, step, features), the steps to compute.
        memory: what the encoder's output offers, of `self.cross`: it is the same for all steps.
        allowed: float (query, key) in 0..1: 1 where a step may look at another, 0 where it may not. Numbers in between
            scale the weight before it is divided by the sum.
        known: what the steps before offered, where one step is computed at a time; it is added there. None where
            `steps` are all.

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

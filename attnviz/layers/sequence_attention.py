"""Attention between sequences, with a mask and step by step: the tokens of one attend to those of another.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.2.3.

Differences: none. It is `attnviz.layers.attention`, with the same names and symbols, but keys and values can come from
another source.
"""

from typing import ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from attnviz.layers.attention import Attention, attend, scores_of
from attnviz.layers.columns import tokens_of
from attnviz.layers.shortcuts import transformed

_TOKENS = "batch head token feature"
_PAIRS = "batch head query key"


class Offered(NamedTuple):
    """The key and value of tokens that can be attended to, float (batch, head, token, head_size) each."""

    key: Tensor
    value: Tensor


class SequenceAttention(Attention):
    """In each head, tokens attend to the tokens of a source and take a weighted mean of their values.

    Args: see `Attention`.

    Call Args:
        tokens: float (batch, query, features).
        source: float (batch, key, features); None stands for the tokens themselves (self-attention).
        mask: float (query, key), added to the scores, see `scores_of`; None adds nothing.

    Returns:
        float (batch, query, output_features).
    """

    taps: ClassVar[tuple[str, ...]] = ("key", "value", "query", "scores", "weights", "mixed", "output")

    def pairs(self, cells: int) -> int:
        """Return the maximum number of pairs of tokens compared for a strip with `cells` pixels, over all heads. The
        strip's columns of features are the tokens.
        """
        return self.heads * tokens_of(cells) ** 2

    def forward(self, tokens: Tensor, source: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        return self.look(tokens, self.offer(tokens if source is None else source), mask)

    def offer(self, source: Tensor, per: str | None = None) -> Offered:
        """Return the keys and values of a source, which can be reused for several steps.

        Args:
            source: float (batch, key, features).
            per: "step" if the tokens are given one step at a time.
        """
        return Offered(
            self.tap("key", self.split(self.key(source)), axes=_TOKENS, per=per),
            self.tap("value", self.split(self.value(source)), axes=_TOKENS, per=per),
        )

    def look(self, tokens: Tensor, offered: Offered, mask: Tensor | None = None, per: str | None = None) -> Tensor:
        """Attend to keys and values.

        Args:
            tokens: float (batch, query, features).
            offered: the keys and values to attend to.
            mask: see the layer's call arguments.
            per: "step" if the queries are given one step at a time.

        Returns:
            float (batch, query, output_features).
        """
        key, value = offered
        query = self.tap("query", self.split(self.query(tokens)), axes=_TOKENS, per=per)
        if self.hears("scores") or self.hears("weights") or transformed(query, key, value):
            scores = self.tap("scores", scores_of(query, key, mask), axes=_PAIRS, per=per)
            weights = self.tap("weights", scores.softmax(-1), axes=_PAIRS, per=per)
            mixed = weights @ value
        else:
            mixed = attend(query, key, value, mask)
        mixed = self.tap("mixed", mixed, axes=_TOKENS, per=per)
        return self.tap("output", self.join(mixed), axes="batch token feature", per=per)


class Known:
    """The keys and values of the steps so far, for a text that is output one step at a time.

    Args:
        places: the maximum number of steps. All keys and values are padded to that length, so that their shape is the
            same at every step. A mask must hide the padding.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._offered: list[Offered] = []

    def with_step(self, offered: Offered) -> Offered:
        """Add the keys and values of one step, float (batch, head, 1, head_size), and return those of all steps, float
        (batch, head, places, head_size).
        """
        self._offered.append(offered)
        empty = (0, 0, 0, self.places - len(self._offered))
        return Offered(*(pad(torch.cat(parts, 2), empty) for parts in zip(*self._offered, strict=True)))

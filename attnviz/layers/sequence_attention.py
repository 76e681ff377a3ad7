"""Attention in sequences: from the tokens of one sequence to those of another, with a mask, and step by step.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.2.3.

Differs: none. It is `attnviz.layers.attention`, whose names and symbols it shares, with a source of its own for keys
and values.
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
    """What tokens offer to queries: key and value, float (batch, head, token, head_size) each."""

    key: Tensor
    value: Tensor


class SequenceAttention(Attention):
    """Tokens attend to the tokens of a source, in each head, and take a weighted mean of their values.

    Args: as of `Attention`.

    Call Args:
        tokens: float (batch, query, features).
        source: float (batch, key, features); None: the tokens themselves (self-attention).
        mask: float (query, key), added to the scores, see `scores_of`; None adds nothing.

    Returns:
        float (batch, query, output_features).
    """

    taps: ClassVar[tuple[str, ...]] = ("key", "value", "query", "scores", "weights", "mixed", "output")

    def pairs(self, cells: int) -> int:
        """Return how many pairs of tokens the layer compares for one strip of so many pixels, over all heads, at most;
        its columns of features are the tokens.
        """
        return self.heads * tokens_of(cells) ** 2

    def forward(self, tokens: Tensor, source: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        return self.look(tokens, self.offer(tokens if source is None else source), mask)

    def offer(self, source: Tensor, per: str | None = None) -> Offered:
        """Return what tokens offer, which may be used for several steps.

        Args:
            source: float (batch, key, features).
            per: "step" where the tokens are given one step at a time.
        """
        return Offered(
            self.tap("key", self.split(self.key(source)), axes=_TOKENS, per=per),
            self.tap("value", self.split(self.value(source)), axes=_TOKENS, per=per),
        )

    def look(self, tokens: Tensor, offered: Offered, mask: Tensor | None = None, per: str | None = None) -> Tensor:
        """Attend to what was offered.

        Args:
            tokens: float (batch, query, features).
            offered: of the tokens that are attended to.
            mask: as of the layer.
            per: "step" where the queries are given one step at a time.

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
    """What the steps so far offer, where a text is said one step at a time.

    Args:
        places: how many steps there can be: all that is handed out has that many keys, the last ones empty, so that the
            values of all steps have one shape. A mask has to hide the empty ones.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._offered: list[Offered] = []

    def with_step(self, offered: Offered) -> Offered:
        """Add what one more step offers, float (batch, head, 1, head_size), and return what all of them offer, float
        (batch, head, places, head_size).
        """
        self._offered.append(offered)
        empty = (0, 0, 0, self.places - len(self._offered))
        return Offered(*(pad(torch.cat(parts, 2), empty) for parts in zip(*self._offered, strict=True)))

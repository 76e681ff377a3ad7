"""Multi-head dot-product attention.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.2; the free
choice of head size and of output features is Keras' `MultiHeadAttention`.

Differs: none. Where features = heads x head size it equals `torch.nn.MultiheadAttention`.

    our name       the paper's symbol
    query, key     Q W^Q, K W^K
    value          V W^V
    scores         Q K^T / sqrt(d_k)
    weights        softmax(Q K^T / sqrt(d_k))
    mixed          head_i
    output         Concat(head_1, ..., head_h) W^O
    head_size      d_k = d_v
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from attnviz.errors import BadInput
from attnviz.tracing import Grid, Layer

NEAR = 40.0  # exp(-40) times what rounds to nothing beside 1 (exp(-36) in float64) is still a normal float32


class Attention(Layer):
    """Every token asks every token, in each head, and takes a weighted mean of their values.

    Args:
        features: numbers of a token.
        heads: how many times it is done side by side.
        head_size: numbers of a head's query, key and value.
        output_features: numbers of a token afterwards; by default as before.
        grid: where the tokens lie on the picture, for whoever draws them.

    Call Args:
        tokens: float (batch, token, features).

    Returns:
        float (batch, token, output_features).
    """

    taps = ("query", "key", "value", "scores", "weights", "mixed", "output")

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

    def forward(self, tokens: Tensor) -> Tensor:
        made = [self.split(part(tokens)) for part in (self.query, self.key, self.value)]
        query = self.tap("query", made[0], axes="batch head token feature")
        key = self.tap("key", made[1], axes="batch head token feature")
        value = self.tap("value", made[2], axes="batch head token feature")
        if self.hears("scores") or self.hears("weights"):
            scores = query @ key.mT * self.head_size**-0.5  # (batch, head, query, key)
            scores = self.tap("scores", scores, axes="batch head query key")
            weights = self.tap("weights", scores.softmax(-1), axes="batch head query key")
            mixed = weights @ value  # (batch, head, token, head_size)
        else:
            edited = any(one is not other for one, other in zip(made, (query, key, value), strict=True))
            mixed = attend(query, key, value, None if edited else repeated(tokens))
        mixed = self.tap("mixed", mixed, axes="batch head token feature")
        return self.tap("output", self.join(mixed), axes="batch token feature")

    def over_levels(self, tokens: Tensor, counts: Tensor) -> Tensor:
        """Attend among few different tokens that each occur many times: exact, and far cheaper than one by one.

        Tokens that are equal have equal queries, keys and values. So the softmax over all tokens of a picture is a
        softmax over its different tokens ("levels"), each weighted by how often it occurs, and one table of scores
        serves the whole batch. Only where scores are huge, one table of exponentials does not: then it takes one for
        each range of levels that occur.

        Args:
            tokens: float (level, features), the different tokens, such that scores rise or fall steadily along them:
                evenly spaced intensities do.
            counts: float (batch, level), how often each occurs in a picture; 0 or more, at least one above 0 a row.

        Returns:
            float (batch, level, output_features): what a token of that level becomes in that picture.
        """
        query, key = (self.split(part(tokens)) for part in (self.query, self.key))
        scores = query @ key.mT * self.head_size**-0.5  # (head, level, level)
        # The values' weighted mean is the value of the tokens' weighted mean: those have fewer numbers.
        weighted = torch.cat([tokens, torch.ones_like(tokens[:, :1])], dim=-1)  # (level, features + 1)
        level = torch.arange(len(tokens), device=tokens.device)
        occurs = counts > 0
        lowest, highest = occurs.int().argmax(1), len(tokens) - 1 - occurs.flip(1).int().argmax(1)
        # The largest score among the levels that occur in a picture stands at one of their ends: scores are steady.
        # What is subtracted must be near it. With the score of a level that does not occur, all terms could be 0.
        largest = torch.maximum(scores[..., lowest], scores[..., highest]).detach()  # (head, level, batch)
        group = torch.zeros_like(lowest)
        if (largest.amax(-1, keepdim=True) - largest).amax() > NEAR:
            group = torch.stack([lowest, highest], dim=1).unique(dim=0, return_inverse=True)[1]
        terms = []
        for index in range(int(group.max()) + 1):
            members = group == index
            absent = (level < lowest[members].min()) | (level > highest[members].max())
            table = scores - largest[..., members].amax(-1, keepdim=True)  # (head, query, key)
            table = table.masked_fill(absent, -torch.inf).exp()
            summed = counts[members, :, None] * weighted  # (batch, level, features + 1)
            terms.append(torch.einsum("bkf,hqk->bhqf", summed, table))
        sums = torch.cat(terms)[group.argsort(stable=True).argsort()]  # (batch, head, level, features + 1)
        mean = sums[..., :-1] / sums[..., -1:]
        weight = self.value.weight.unflatten(0, (self.heads, self.head_size))  # (head, head_size, features)
        bias = self.value.bias.unflatten(0, (self.heads, 1, self.head_size))
        return self.join(mean @ weight.mT + bias)

    def split(self, tokens: Tensor) -> Tensor:
        """(..., token, heads * head_size) to (..., head, token, head_size)."""
        parts: Tensor = tokens.unflatten(-1, (self.heads, self.head_size))
        return parts.transpose(-3, -2)

    def join(self, mixed: Tensor) -> Tensor:
        """(..., head, token, head_size) through the output projection to (..., token, output_features)."""
        projected: Tensor = self.output(mixed.transpose(-3, -2).flatten(-2))
        return projected


class Repeats(NamedTuple):
    """Where the tokens of a picture repeat: for each distinct one a place where it stands, and how often it occurs;
    for each place, the number of the distinct one that stands there."""

    first: Tensor
    often: Tensor
    which: Tensor


def repeated(tokens: Tensor) -> Repeats | None:
    """Return where tokens repeat, or None: of several pictures, where gradients are wanted, or if few of them do.

    Args:
        tokens: (batch, token, features)
    """
    if len(tokens) > 1 or torch.is_grad_enabled() or torch.compiler.is_compiling():
        return None
    rows = tokens[0]
    # Equal rows have equal sums, but for rounding; whether rows of equal sums are equal is looked at.
    sums, which, often = rows.sum(1).unique(return_inverse=True, return_counts=True)
    if 2 * len(sums) > len(rows):
        return None
    first = torch.empty_like(often).scatter_(0, which, torch.arange(len(rows), device=rows.device))
    return Repeats(first, often, which) if torch.equal(rows[first][which], rows) else None


def attend(query: Tensor, key: Tensor, value: Tensor, repeats: Repeats | None = None) -> Tensor:
    """Return the weighted means of the values, with the fused kernel, which never holds the weights.

    Equal tokens ask the same and weigh the same. So where they repeat, the distinct ones attend to one another, each
    as often as it occurs: the same numbers to rounding, of a drawn digit in a tenth of the time.

    Args:
        query, key, value: (batch, head, token, feature)
        repeats: of the tokens that they were made of.

    Returns:
        (batch, head, token, feature)
    """
    if repeats is None:
        return scaled_dot_product_attention(query, key, value)
    often = repeats.often.to(query.dtype).log()[None, None, None]
    asks, asked, taken = (part[:, :, repeats.first] for part in (query, key, value))
    return scaled_dot_product_attention(asks, asked, taken, attn_mask=often)[:, :, repeats.which]

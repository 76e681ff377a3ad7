"""All measures of heads once more, picture by picture and head by head, in numpy and scipy, in double precision."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import stats
from torch import Tensor, nn

from attnviz.models.pixel_attention import PixelAttention

Array = np.ndarray[Any, np.dtype[np.float64]]
Forward = Callable[[Array, tuple[int, int] | None], tuple[Array, list[Array]]]
"""From a picture, and a head (layer, number) that is off, to logits, and weights (head, query, key) of each layer."""


class Small(nn.Module):
    """A net without taps: patches of 2 x 2 pixels and a class token, two layers of attention with skips."""

    def __init__(self, *, size: int = 8, features: int = 6, heads: int = 3, classes: int = 4, prefix: int = 1) -> None:
        super().__init__()
        self.heads, self.prefix = heads, prefix
        self.embed = nn.Conv2d(1, features, 2, 2)
        self.first = nn.Parameter(torch.randn(prefix, features))
        self.code = nn.Parameter(torch.randn((size // 2) ** 2, features))
        self.layers = nn.ModuleList(nn.Linear(features, 3 * features) for _ in range(2))
        self.outs = nn.ModuleList(nn.Linear(features, features) for _ in range(2))
        self.answer = nn.Linear(features, classes)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.embed(images).flatten(2).mT + self.code
        tokens = torch.cat([self.first.expand(len(tokens), -1, -1), tokens], 1)
        for layer, out in zip(self.layers, self.outs, strict=True):
            query, key, value = (
                part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in layer(tokens).chunk(3, -1)
            )
            mixed = nn.functional.scaled_dot_product_attention(query, key, value)
            tokens = tokens + out(mixed.transpose(1, 2).flatten(2)).tanh()
        found: Tensor = self.answer(tokens.mean(1))
        return found


def small(net: Small) -> Forward:
    """Return the forward pass of `Small`, spelled out."""
    weights = {name: one.detach().double().numpy() for name, one in net.named_parameters()}

    def forward(image: Array, off: tuple[int, int] | None) -> tuple[Array, list[Array]]:
        kernel = weights["embed.weight"][:, 0].reshape(-1, 4)
        patches = np.array(
            [
                image[0, r : r + 2, c : c + 2].ravel()
                for r in range(0, len(image[0]), 2)
                for c in range(0, len(image[0]), 2)
            ]
        )
        tokens = np.concatenate([weights["first"], patches @ kernel.T + weights["embed.bias"] + weights["code"]])
        maps = []
        for layer in range(2):
            made = tokens @ weights[f"layers.{layer}.weight"].T + weights[f"layers.{layer}.bias"]
            features, size = tokens.shape[1], tokens.shape[1] // net.heads
            joined, own = np.zeros_like(tokens), []
            for head in range(net.heads):
                query, key, value = (made[:, part * features + head * size :][:, :size] for part in range(3))
                own.append(softmax(query @ key.T / np.sqrt(size)))
                if off != (layer, head):
                    joined[:, head * size : (head + 1) * size] = own[-1] @ value
            maps.append(np.array(own))
            tokens = tokens + np.tanh(joined @ weights[f"outs.{layer}.weight"].T + weights[f"outs.{layer}.bias"])
        return tokens.mean(0) @ weights["answer.weight"].T + weights["answer.bias"], maps

    return forward


def pixels(model: PixelAttention) -> Forward:
    """Return the forward pass of pixel attention, spelled out from its tokens on."""
    weights = {name: one.detach().double().numpy() for name, one in model.named_parameters()}
    heads, size = model.attention.heads, model.attention.head_size

    def attend(image: Array) -> tuple[list[Array], list[Array]]:
        tokens = model.tokens(torch.from_numpy(image[None]))[0].numpy()
        query, key, value = (
            (tokens @ weights[f"attention.{part}.weight"].T + weights[f"attention.{part}.bias"]).reshape(
                -1, heads, size
            )
            for part in ("query", "key", "value")
        )
        maps = [softmax(query[:, head] @ key[:, head].T / np.sqrt(size)) for head in range(heads)]
        return maps, [maps[head] @ value[:, head] for head in range(heads)]

    last: list[Any] = [None, ([], [])]  # a picture, and what was made of it: the same whichever head is off

    def forward(image: Array, off: tuple[int, int] | None) -> tuple[Array, list[Array]]:
        if last[0] is not image:
            last[:] = image, attend(image)
        maps, all_mixed = last[1]
        mixed = [all_mixed[head] * (off != (0, head)) for head in range(heads)]
        attended = np.concatenate(mixed, 1) @ weights["attention.output.weight"].T + weights["attention.output.bias"]
        return attended.ravel() @ weights["classifier.weight"].T + weights["classifier.bias"], [np.array(maps)]

    return forward


def softmax(scores: Array) -> Array:
    """Return rows that sum to 1."""
    found = np.exp(scores - scores.max(1, keepdims=True))
    return found / found.sum(1, keepdims=True)


def clear(logits: Array, answer: int) -> float:
    """Return the logit of an answer above the mean; of one logit, the log-odds."""
    return float((2 * answer - 1) * logits[0] if len(logits) == 1 else logits[answer] - logits.mean())


def answer_of(logits: Array) -> int:
    """Return the class with the largest logit."""
    return int(logits[0] > 0) if len(logits) == 1 else int(logits.argmax())


def table(
    forward: Forward, images: Array, steep: Array, *, side: int, prefix: int, places: int, mask: Array
) -> dict[str, Array]:
    """Return all measures, name -> (head of all layers, picture).

    Args:
        forward: the net.
        images: (picture, channel, row, column).
        steep: (picture, row, column), the size of the gradient.
        side: rows and columns of the square grid.
        prefix: tokens before it.
        places: how many are ranked.
        mask: bool (picture, row, column).
    """
    whole = [forward(image, None) for image in images]
    units = [(layer, head) for layer, one in enumerate(whole[0][1]) for head in range(len(one))]
    names = ("effect", "changed", "distance", "entropy", "object", "prefix", "query", "position", "gradient", "erasure")
    found = {name: np.full((len(units), len(images)), np.nan) for name in (*names, "likeness")}
    box, count, tokens = images.shape[-1] // side, side * side, prefix + side * side
    ranked = spread(count, places)
    row, column = np.divmod(np.arange(count), side)
    away = np.hypot(row[:, None] - row, column[:, None] - column) * box  # (query, key)
    queries, among = spread(tokens, 64), spread(len(images), 64)
    rows = {(n, unit): whole[n][1][unit[0]][unit[1]][queries].ravel() for n in range(len(images)) for unit in units}
    alike = np.array([[sum(correlation(rows[n, a], rows[n, b]) for n in among) for b in units] for a in units])
    nearest = (alike - np.diag(np.full(len(units), np.inf))).argmax(1)
    for n, image in enumerate(images):
        logits, maps = whole[n]
        answer = answer_of(logits)
        erased = []
        for place in ranked:
            r, c = divmod(int(place), side)
            without = image.copy()
            for channel in range(len(image)):
                mean = np.round(image[channel].mean() * 255) / 255
                without[channel, r * box : (r + 1) * box, c * box : (c + 1) * box] = mean
            erased.append(clear(logits, answer) - clear(forward(without, None)[0], answer))
        for u, (layer, head) in enumerate(units):
            weights = maps[layer][head]
            without, _ = forward(image, (layer, head))
            found["effect"][u, n] = clear(logits, answer) - clear(without, answer)
            found["changed"][u, n] = answer_of(without) != answer
            received, lying, some = weights.mean(0), weights[prefix:, prefix:], weights > 0
            found["entropy"][u, n] = -(weights * np.log2(np.where(some, weights, 1))).sum(1).mean()
            found["distance"][u, n] = ((lying * away).sum(1) / lying.sum(1)).mean()
            apart = np.log2(np.divide(weights, received, out=np.ones_like(weights), where=some))
            found["query"][u, n] = (weights * apart).sum(1).mean()
            if prefix:
                found["prefix"][u, n] = received[:prefix].sum()
            found["object"][u, n] = received[prefix:][boxed(side, box, mask[n]) > 0].sum()
            others = [rows[m, (layer, head)] for m in among if m != n]
            found["position"][u, n] = correlation(rows[n, (layer, head)], np.mean(others, 0))
            found["likeness"][u, n] = correlation(rows[n, (layer, head)], rows[n, units[nearest[u]]])
            own = received[prefix:][ranked]
            found["gradient"][u, n] = tau(own, boxed(side, box, steep[n])[ranked])
            found["erasure"][u, n] = tau(own, np.array(erased))
    return found


def boxed(side: int, box: int, values: Array) -> Array:
    """Return the sums of a picture over the boxes of its tokens."""
    return values.reshape(side, box, side, box).sum((1, 3)).ravel()


def spread(count: int, most: int) -> Any:
    """Return evenly spaced numbers below `count`."""
    return [(2 * at + 1) * count // (2 * min(count, most)) for at in range(min(count, most))]


def correlation(one: Array, other: Array) -> float:
    """Return Pearson's correlation; 0 where one is constant."""
    return 0.0 if min(np.ptp(one), np.ptp(other)) == 0 else float(np.corrcoef(one, other)[0, 1])


def tau(one: Array, other: Array) -> float:
    """Return Kendall's tau b, of values rounded to 1e-5 of the largest."""
    rounded = [np.round(values / (1e-5 * np.abs(values).max())) for values in (one, other)]
    return float(stats.kendalltau(*rounded).statistic)

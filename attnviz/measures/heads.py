"""The heads of a layer side by side: how spread each one's attention is, how far it reaches, which heads are alike.

`reach` and `apart` take the queries and keys of one picture, and never hold all weights at once; `of_maps` takes the
weights of many pictures. All heads of a net over a data set, with intervals and beside random weights: attnviz.heads
(attnviz/head_table), which puts these together.

Source: entropy and distance between heads are those of "What Does BERT Look At?", Clark et al., 2019,
https://arxiv.org/abs/1906.04341, sections 3.2 and 6; the mean distance of attention is that of "An Image Is Worth 16x16
Words", Dosovitskiy et al., 2021, https://arxiv.org/abs/2010.11929, figure 7 and appendix D.7; that the root of the
Jensen-Shannon divergence is a metric: "A new metric for probability distributions", Endres and Schindelin, 2003,
https://doi.org/10.1109/TIT.2003.813506. The information between query and key is the mean, over queries, of the
Kullback-Leibler divergence of a query's row from the mean row (Cover and Thomas, "Elements of Information Theory",
1991, section 2.3, with every query equally probable).
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.attention import scores
from attnviz.measures.matched_heads import pattern
from attnviz.readings import Grid

Values = dict[str, Tensor]

SAMPLE = 64  # queries whose rows are compared between heads
_BLOCK = 128  # queries at a time: the few arrays of 128 x 784 numbers then stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Reach:
    """How spread each head's attention is, and how far it reaches; means over all queries of one picture.

    Args:
        entropy: (head,) in bits, 0 (one key gets all) to log2(tokens) (all get the same).
        entropy_share: (head,) the same as a share of log2(tokens), 0..1.
        distance: (head,) in pixels of the input picture: the weighted mean from a query's centre to its keys'.
        even_distance: what `distance` is where all keys on the picture get the same; the query itself is one of them.
        tokens: how many keys each query has.
    """

    entropy: Floats
    entropy_share: Floats
    distance: Floats
    even_distance: float
    tokens: int


def reach(query: Tensor, key: Tensor, grid: Grid) -> Reach:
    """Return entropy and mean distance of every head, each beside what an even share would give.

    Leading tokens that lie nowhere have no distance: among distances, only queries and keys on the picture count, and
    a row's weights are shared out anew among those keys.

    Args:
        query, key: (head, token, size)
        grid: where the tokens lie.

    Returns:
        For every head its entropy, in bits and as a share, and its mean distance in pixels.

    Raises:
        BadInput: there are not as many tokens as the grid has.
    """
    heads, tokens, _ = query.shape
    if not tokens == key.shape[1] == grid.tokens:
        raise BadInput(f"The grid has {grid.tokens} tokens, but there are {tokens} queries and {key.shape[1]} keys.")
    places = torch.cartesian_prod(torch.arange(grid.rows), torch.arange(grid.columns)).to(query) * grid.stride
    entropy, distance, even = query.new_zeros(heads), query.new_zeros(heads), 0.0
    for start in range(0, tokens, _BLOCK):
        queries = query[:, start : start + _BLOCK]
        first = max(grid.prefix - start, 0)  # query of this block that lies on the picture
        away = places[max(start - grid.prefix, 0) :][: queries.shape[1] - first, None] - places  # (query, key, 2)
        pixels = torch.hypot(*away.unbind(-1))  # (query, key)
        even += float(pixels.mean(1).sum())
        for head in range(heads):
            rows = scores(queries[head], key[head])  # (query, key)
            logarithms = rows.log_softmax(1)
            weights = logarithms.exp()
            entropy[head] -= torch.dot(weights.flatten(), logarithms.flatten())
            if grid.prefix:
                weights = rows[first:, grid.prefix :].softmax(1)
            distance[head] += torch.dot(weights.flatten(), pixels.flatten())
    bits = _array(entropy) / tokens / np.log(2)
    count = tokens - grid.prefix
    return Reach(
        entropy=bits,
        entropy_share=bits / np.log2(tokens)
        if tokens > 1
        else np.ones(heads),  # one key: an even share is all there is
        distance=_array(distance) / count,
        even_distance=even / count,
        tokens=tokens,
    )


def sampled(tokens: int, count: int = SAMPLE) -> npt.NDArray[np.int64]:
    """Return which of so many queries stand for all, int64 and ascending: `count` evenly spaced ones, or all where
    there are few.
    """
    count = min(count, tokens)
    return (2 * np.arange(count) + 1) * tokens // (2 * count)


def apart(query: Tensor, key: Tensor, count: int = SAMPLE) -> Floats:
    """Return how different the attention of every two heads is, estimated over some of the queries.

    It is the root of the mean, over queries, of the Jensen-Shannon divergence in bits between the two heads' rows: a
    metric, 0 where the rows are the same and 1 where no key gets anything from both.

    Args:
        query, key: (head, token, size)
        count: how many queries to take, see `sampled`; all of them make it exact.

    Returns:
        (head, head), symmetric, 0..1.

    Raises:
        BadInput: no queries.
    """
    if count < 1:
        raise BadInput(f"Heads are compared over at least one query, not {count}.")
    chosen = torch.from_numpy(sampled(query.shape[1], count))
    rows = scores(query[:, chosen].double(), key.double()).softmax(-1)  # (head, query, key)
    heads = len(rows)
    information = torch.special.xlogy(rows, rows)  # 0 where a weight is 0
    divergence = np.zeros((heads, heads))
    for head in range(heads - 1):
        middle = (rows[head] + rows[head + 1 :]) / 2  # (other head, query, key)
        # Term by term, so that equal rows give exactly 0 and no two large sums are subtracted.
        terms = (information[head] + information[head + 1 :]) / 2 - torch.special.xlogy(middle, middle)
        divergence[head, head + 1 :] = _array(terms.sum(-1).mean(-1)) / np.log(2)
    return np.sqrt(np.clip(divergence + divergence.T, 0, 1))


def pixels_apart(grid: Grid) -> Tensor:
    """Return how far places lie apart: float64 (query, key), in pixels of the picture."""
    places = torch.cartesian_prod(torch.arange(grid.rows), torch.arange(grid.columns)).double() * grid.stride
    return torch.hypot(*(places[:, None] - places).unbind(-1))


def of_maps(weights: Tensor, grid: Grid | None, inked: Tensor | None) -> tuple[Values, Tensor]:
    """Return what follows from the maps of each picture alone.

    Args:
        weights: float (picture, head, query, key), rows that sum to 1.
        grid: where queries and keys lie; None where that is not known.
        inked: bool (picture, place), where the object is; None where that is not known.

    Returns:
        By name (picture, head): entropy and query in bits; distance in pixels; object and prefix as shares. What cannot
        be said is not there. And the mean row, (picture, head, key), of which the shares are sums.
    """
    received = weights.mean(-2)
    entropy = -torch.special.xlogy(weights, weights).sum(-1).mean(-1) / math.log(2)
    of_mean = -torch.special.xlogy(received, received).sum(-1) / math.log(2)
    found = {"entropy": entropy, "query": of_mean - entropy}
    if grid is None:
        return found, received
    prefix = grid.prefix
    on_picture = weights[..., prefix:, prefix:] if prefix else weights
    away = (on_picture * pixels_apart(grid).to(weights)).sum(-1)
    found["distance"] = (away / on_picture.sum(-1) if prefix else away).mean(-1)
    if prefix:
        found["prefix"] = received[..., :prefix].sum(-1)
    if inked is not None:
        found["object"] = (received[..., prefix:] * inked[:, None]).sum(-1)
    return found, received


def rows_of(weights: Tensor) -> Tensor:
    """Return the rows by which maps are compared with each other: those of `sampled` queries, one after the other.

    Args:
        weights: float (picture, head, query, key).

    Returns:
        (picture, head, row times key).
    """
    queries = weights.shape[-2]
    chosen = torch.from_numpy(sampled(queries)).to(weights.device)
    return (weights if len(chosen) == queries else weights[..., chosen, :]).flatten(2)


def correlation(one: Tensor, other: Tensor) -> Tensor:
    """Return the correlation of maps, float (..., entry), over their entries: (...,), -1..1; 0 where one of them is the
    same everywhere.
    """
    return (pattern(one) * pattern(other)).sum(-1)


def without_itself(total: Tensor, count: int, rows: Tensor, among: Tensor) -> Tensor:
    """Return the mean map of other pictures for each picture.

    Args:
        total: (head, entry), the sum over the pictures of the reference.
        count: how many these are.
        rows: (picture, head, entry), of the pictures.
        among: bool (picture,), which of them are part of the reference.

    Returns:
        (picture, head, entry); NaN where a picture is the only one of the reference.
    """
    own = among.to(total)[:, None, None]
    return (total - own * rows) / (count - own)


@dataclass(frozen=True)
class Merge:
    """Two groups of heads that become one.

    Args:
        left, right: their heads, in the order in which they lie.
        height: mean distance between a head of the one and a head of the other.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    height: float


@dataclass(frozen=True)
class Tree:
    """Which heads are alike.

    Args:
        merges: from the nearest groups to the last two; heights never fall.
        order: all heads, so that every group lies together.
    """

    merges: tuple[Merge, ...]
    order: tuple[int, ...]

    def groups(self, threshold: float) -> list[tuple[int, ...]]:
        """Return the groups whose heads are merged at a height of `threshold`, in the unit of the distances, or less:
        heads ascending, every head in one group.
        """
        found = {head: frozenset({head}) for head in self.order}
        for merge in self.merges:
            if merge.height <= threshold:
                whole = frozenset(merge.left + merge.right)
                found |= dict.fromkeys(whole, whole)
        groups = dict.fromkeys(found[head] for head in self.order)
        return [tuple(head for head in self.order if head in group) for group in groups]


def cluster(distances: Floats) -> Tree:
    """Merge the two nearest groups again and again, beginning with single heads (average linkage, UPGMA).

    Merged groups are turned so that their two nearest ends meet. Among equal distances the lowest heads come first.

    Args:
        distances: (head, head), symmetric, such as `apart` gives.

    Returns:
        All merges, and an order in which every group lies together.

    Raises:
        BadInput: not such a matrix, or NaN in it.

    Source: "A statistical method for evaluating systematic relationships", Sokal and Michener, 1958.
    """
    if distances.ndim != 2 or not len(distances) or not np.array_equal(distances, distances.T):
        raise BadInput(f"Distances (head, head) must be symmetric numbers, not {distances.shape} with others or NaN.")
    groups: list[tuple[int, ...]] = [(head,) for head in range(len(distances))]
    between = np.where(np.eye(len(groups), dtype=bool), np.inf, distances)
    merges = []
    while len(groups) > 1:
        first, second = (int(place) for place in np.unravel_index(between.argmin(), between.shape))  # first < second
        orders = [(a, b) for a in (groups[first], groups[first][::-1]) for b in (groups[second], groups[second][::-1])]
        left, right = min(orders, key=lambda order: distances[order[0][-1], order[1][0]])
        merges.append(Merge(left, right, float(between[first, second])))
        mean = (len(left) * between[first] + len(right) * between[second]) / (len(left) + len(right))
        between[first], between[:, first] = mean, mean  # infinite at itself, as it was
        between = np.delete(np.delete(between, second, 0), second, 1)
        groups[first] = left + right
        del groups[second]
    return Tree(tuple(merges), groups[0])


def _array(tensor: Tensor) -> Floats:
    return tensor.double().cpu().numpy()

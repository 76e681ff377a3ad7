"""Comparison of the heads of a layer: how spread out their attention is, how far it reaches, which are similar.

`reach` and `apart` take the queries and keys of one picture and never store all weights at once. `of_maps` takes the
weights of many pictures. For all heads of a net over a data set, with intervals and random weights for comparison,
see attnviz.heads (attnviz/head_table), which combines these.

Source: entropy and distance between heads are from "What Does BERT Look At?", Clark et al., 2019,
https://arxiv.org/abs/1906.04341, sections 3.2 and 6, and the mean distance of attention from "An Image Is Worth 16x16
Words", Dosovitskiy et al., 2021, https://arxiv.org/abs/2010.11929, figure 7 and appendix D.7. The root of the
Jensen-Shannon divergence is a metric by "A new metric for probability distributions", Endres and Schindelin, 2003,
https://doi.org/10.1109/TIT.2003.813506. The information between query and key is the mean over queries of the
Kullback-Leibler divergence of a query's row from the mean row (Cover and Thomas, "Elements of Information Theory",
1991, section 2.3, with equally probable queries).
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
_BLOCK = 128  # queries at a time: the few arrays of 128 x 784 numbers then fit the processor's cache


@dataclass(frozen=True, eq=False)
class Reach:
    """How spread out the attention of each head is, and how far it reaches, as means over all queries of one picture.

    Args:
        entropy: (head,), in bits, from 0 (one key gets everything) to log2(tokens) (all keys get the same).
        entropy_share: (head,), the same as a share of log2(tokens), 0..1.
        distance: (head,), weighted mean distance from a query's centre to its keys, in pixels of the input picture.
        even_distance: `distance` if all keys on the picture get the same; this includes the query itself.
        tokens: number of keys per query.
    """

    entropy: Floats
    entropy_share: Floats
    distance: Floats
    even_distance: float
    tokens: int


def reach(query: Tensor, key: Tensor, grid: Grid) -> Reach:
    """Return the entropy and mean distance of every head, each with the value for an even share.

    Leading tokens without a position have no distance. For distances, only queries and keys on the picture count, and
    each row's weights are renormalised over those keys.

    Args:
        query, key: (head, token, size)
        grid: where the tokens lie.

    Returns:
        For every head its entropy, in bits and as a share, and its mean distance in pixels.

    Raises:
        BadInput: the number of tokens differs from the grid's.
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
        else np.ones(heads),  # with one key, an even share is the only possible weight
        distance=_array(distance) / count,
        even_distance=even / count,
        tokens=tokens,
    )


def sampled(tokens: int, count: int = SAMPLE) -> npt.NDArray[np.int64]:
    """Return which queries represent all `tokens` queries, int64 and ascending: `count` evenly spaced ones, or all of
    them if there are fewer.
    """
    count = min(count, tokens)
    return (2 * np.arange(count) + 1) * tokens // (2 * count)


def apart(query: Tensor, key: Tensor, count: int = SAMPLE) -> Floats:
    """Return the distance between the attention of every two heads, estimated over some of the queries.

    It is the root of the mean over queries of the Jensen-Shannon divergence, in bits, between the two heads' rows. It
    is a metric, from 0 for equal rows to 1 if no key gets attention from both heads.

    Args:
        query, key: (head, token, size)
        count: number of queries to use, see `sampled`; with all queries the result is exact.

    Returns:
        (head, head), symmetric, 0..1.

    Raises:
        BadInput: there are no queries.
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
    """Return the distances between positions: float64 (query, key), in pixels of the picture."""
    places = torch.cartesian_prod(torch.arange(grid.rows), torch.arange(grid.columns)).double() * grid.stride
    return torch.hypot(*(places[:, None] - places).unbind(-1))


def of_maps(weights: Tensor, grid: Grid | None, inked: Tensor | None) -> tuple[Values, Tensor]:
    """Return the measures that need the maps of each picture only.

    Args:
        weights: float (picture, head, query, key), with rows that sum to 1.
        grid: where queries and keys lie, or None if unknown.
        inked: bool (picture, position), where the object is, or None if unknown.

    Returns:
        Name -> (picture, head): entropy and query in bits; distance in pixels; object and prefix as shares. Measures
        that cannot be computed are missing. Also the mean row, (picture, head, key), whose sums are the shares.
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
    """Return the rows by which maps are compared: those of the `sampled` queries, concatenated.

    Args:
        weights: float (picture, head, query, key).

    Returns:
        (picture, head, row times key).
    """
    queries = weights.shape[-2]
    chosen = torch.from_numpy(sampled(queries)).to(weights.device)
    return (weights if len(chosen) == queries else weights[..., chosen, :]).flatten(2)


def correlation(one: Tensor, other: Tensor) -> Tensor:
    """Return the correlation of maps, float (..., entry), over their entries: (...,), -1..1; 0 if one of them is
    constant.
    """
    return (pattern(one) * pattern(other)).sum(-1)


def without_itself(total: Tensor, count: int, rows: Tensor, among: Tensor) -> Tensor:
    """Return, for each picture, the mean map of the other pictures.

    Args:
        total: (head, entry), the sum over the pictures of the reference.
        count: number of these pictures.
        rows: (picture, head, entry), maps of the pictures.
        among: bool (picture,), which of the pictures belong to the reference.

    Returns:
        (picture, head, entry); NaN if a picture is the only one of the reference.
    """
    own = among.to(total)[:, None, None]
    return (total - own * rows) / (count - own)


@dataclass(frozen=True)
class Merge:
    """Two groups of heads that are merged.

    Args:
        left, right: their heads, in tree order.
        height: mean distance between heads of the two groups.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    height: float


@dataclass(frozen=True)
class Tree:
    """A hierarchical clustering of heads.

    Args:
        merges: from the nearest groups to the last two, with heights that never decrease.
        order: all heads, ordered so that every group is contiguous.
    """

    merges: tuple[Merge, ...]
    order: tuple[int, ...]

    def groups(self, threshold: float) -> list[tuple[int, ...]]:
        """Return the groups that are merged at a height of at most `threshold`, in the unit of the distances. Heads are
        ascending, and every head is in one group.
        """
        found = {head: frozenset({head}) for head in self.order}
        for merge in self.merges:
            if merge.height <= threshold:
                whole = frozenset(merge.left + merge.right)
                found |= dict.fromkeys(whole, whole)
        groups = dict.fromkeys(found[head] for head in self.order)
        return [tuple(head for head in self.order if head in group) for group in groups]


def cluster(distances: Floats) -> Tree:
    """Merge the two nearest groups repeatedly, starting with single heads (average linkage, UPGMA).

    Merged groups are flipped so that their two nearest ends meet. Among equal distances the lowest heads come first.

    Args:
        distances: (head, head), symmetric, such as the result of `apart`.

    Returns:
        All merges, and an order in which every group is contiguous.

    Raises:
        BadInput: the matrix is not symmetric, or contains NaN.

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
        between[first], between[:, first] = mean, mean  # the diagonal stays infinite
        between = np.delete(np.delete(between, second, 0), second, 1)
        groups[first] = left + right
        del groups[second]
    return Tree(tuple(merges), groups[0])


def _array(tensor: Tensor) -> Floats:
    return tensor.double().cpu().numpy()

"""Attention flow: how much could reach what is read from each token at once, if weights were the capacities of pipes.

Source: "Quantifying Attention Flow in Transformers", Abnar and Zuidema, 2020, https://arxiv.org/abs/2005.00928. The
maximum flow is found by the algorithm of Dinic, 1970, on dense matrices: graphs here have a few hundred nodes.
"""

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats

LEAST = 1e-12  # capacity below which a pipe is full: sums of weights are exact to about as much


def attention_flow(mixed: Floats, reader: Floats) -> Floats:
    """Return the maximum flow from each token at the beginning to what is read at the end.

    Args:
        mixed: of each layer what a token takes from each, its skip connection included, (layer, query, key); each row
            sums to one.
        reader: the share of each token at the end in what is read, (token,).

    Returns:
        (token,), 0..1. Flows from different tokens share pipes, so they need not sum to one.
    """
    layers, tokens = mixed.shape[:2]
    sink = (layers + 1) * tokens
    capacities = np.zeros((sink + 1, sink + 1))
    for layer, taken in enumerate(mixed):
        below, above = layer * tokens, (layer + 1) * tokens
        capacities[below:above, above : above + tokens] = taken.T
    capacities[layers * tokens : sink, sink] = reader
    return np.array([max_flow(capacities, token, sink) for token in range(tokens)])


def max_flow(capacities: Floats, source: int, sink: int) -> float:
    """Return the maximum flow between two nodes; capacities are (from, to)."""
    left, total = capacities.copy(), 0.0
    while (level := _levels(left > LEAST, source))[sink] >= 0:
        path = [source]
        while path:
            at = path[-1]
            if at == sink:
                steps = np.array(path[:-1]), np.array(path[1:])
                pushed = left[steps].min()
                left[steps] -= pushed
                left[steps[::-1]] += pushed
                total += float(pushed)
                path = path[: int((left[steps] <= LEAST).argmax()) + 1]  # back to before the pipe that is full
                continue
            onward = np.where(level == level[at] + 1, left[at], 0)
            best = int(onward.argmax())
            if onward[best] > LEAST:
                path.append(best)
            else:
                level[path.pop()] = -1  # from here nothing goes on
    return total


def _levels(open_: npt.NDArray[np.bool_], source: int) -> npt.NDArray[np.int64]:
    """Return how many pipes that are not full lead from a source to each node, at least; -1 where none do."""
    level = np.full(len(open_), -1)
    reached = np.array([source])
    for steps in range(len(open_)):
        level[reached] = steps
        reached = np.flatnonzero(open_[reached].any(0) & (level < 0))
        if not len(reached):
            break
    return level

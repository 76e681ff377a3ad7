"""Attention over all layers: how it changes from one to the next, and how much what is read takes from each token."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.answers import probabilities
from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.attention import scores
from attnviz.measures.heads import reach
from attnviz.measures.jacobian import toward
from attnviz.readings import Grid
from attnviz.tracing import trace


@dataclass(frozen=True, eq=False)
class OverLayers:
    """A number for each head of each layer of one picture: (layer, head).

    Args:
        distance: mean distance in pixels from a query to what it takes from, among patches.
        entropy: mean entropy of the queries' weights, in bits.
        nowhere: the mean share that queries take from tokens that lie nowhere: class token and registers.
        even_distance, even_entropy, even_nowhere: what each would be if all keys got the same.
    """

    distance: Floats
    entropy: Floats
    nowhere: Floats
    even_distance: float
    even_entropy: float
    even_nowhere: float


def by_layer(pairs: Sequence[tuple[Tensor, Tensor]], grid: Grid) -> OverLayers:
    """Return how far, how evenly and how much outside of the picture each head looks.

    Args:
        pairs: of each layer, query and key (head, token, size).
        grid: where the tokens lie, the same for all layers.
    """
    found = [reach(query, key, grid) for query, key in pairs]
    nowhere = [scores(*pair).softmax(-1)[..., : grid.prefix].sum(-1).mean(-1).double().numpy() for pair in pairs]
    return OverLayers(
        distance=np.stack([one.distance for one in found]),
        entropy=np.stack([one.entropy for one in found]),
        nowhere=np.stack(nowhere),
        even_distance=found[0].even_distance,
        even_entropy=float(np.log2(grid.tokens)),
        even_nowhere=grid.prefix / grid.tokens,
    )


def answers(outputs: Sequence[Tensor], read: Callable[[Tensor], Tensor]) -> Floats:
    """Return what the answer would be if each layer were the last: probabilities (layer, class).

    Args:
        outputs: of each layer, (batch, token, feature) of one picture.
        read: from the last layer's tokens to the logits: the network's own last norm and head.
    """
    with torch.no_grad():
        return np.stack([probabilities(read(tokens))[0].double().numpy() for tokens in outputs])


def rollout(weights: Tensor) -> Tensor:
    """Return how much each token at the end takes from each token at the beginning, if skips and heads count alike.

    Args:
        weights: float (layer, head, query, key); each row sums to one.

    Returns:
        float (query, key); each row sums to one.
    """
    first, *others = mixed(weights)
    found: Tensor = first
    for layer in others:
        found = layer @ found
    return found


def mixed(weights: Tensor) -> Tensor:
    """Return of each layer how much a token takes from each, the mean of the heads and the skip connection in equal
    parts: float (layer, query, key), from weights (layer, head, query, key).
    """
    mean = weights.mean(1)
    return (mean + torch.eye(mean.shape[-1]).to(mean)) / 2


def weighted_rollout(weights: Tensor, gradients: Tensor) -> Tensor:
    """Return the same with each weight counted by how much the answer would rise with it: gradient times attention.

    Args:
        weights: float (layer, head, query, key).
        gradients: of the answer by the weights, of the same shape.

    Returns:
        float (query, key), 0 or more. The diagonal begins at 1.
    """
    found = torch.eye(weights.shape[-1]).to(weights)
    for layer in (weights * gradients).clamp(min=0).mean(1):
        found = found + layer @ found
    return found


def weights_and_gradients(model: nn.Module, images: Tensor, paths: Sequence[str], answer: int) -> tuple[Tensor, Tensor]:
    """Return the weights of all layers on one picture, and how the logit of an answer depends on each.

    Args:
        model: in evaluation mode.
        images: float (1, channel, row, column) in 0..1.
        paths: of the taps that hold the weights, in the order of the layers.
        answer: number of the class; for two classes, the log-odds toward it.

    Returns:
        Two float tensors (layer, head, query, key).
    """
    if len(images) != 1:
        raise BadInput(f"Weights and their gradients are those of one picture, not of {len(images)}.")
    held: dict[str, Tensor] = {}

    def hold(path: str, weights: Tensor) -> Tensor:
        held[path] = weights.detach().requires_grad_()
        return held[path] + (weights - weights.detach())  # a leaf of its own, and the way to earlier layers

    edits = {path: (lambda tensor, path=path: hold(path, tensor)) for path in paths}
    with torch.enable_grad(), trace(model, keep=(), edits=edits):
        logits = model(images)
    gradients = torch.autograd.grad(toward(logits, torch.tensor([answer])).sum(), [held[path] for path in paths])
    return torch.cat([held[path].detach() for path in paths]), torch.cat(gradients)


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

"""Attention over all layers: its change from layer to layer, and the contribution of each token to the answer."""

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
    """Measures for each head of each layer of one picture: (layer, head).

    Args:
        distance: mean distance in pixels from a query to its keys, among patches.
        entropy: mean entropy of the queries' weights, in bits.
        nowhere: mean share of the weights on tokens without a position: class token and registers.
        even_distance, even_entropy, even_nowhere: the same if all keys got equal weights.
    """

    distance: Floats
    entropy: Floats
    nowhere: Floats
    even_distance: float
    even_entropy: float
    even_nowhere: float


def by_layer(pairs: Sequence[tuple[Tensor, Tensor]], grid: Grid) -> OverLayers:
    """Return the distance, the entropy and the share outside the picture for each head's attention.

    Args:
        pairs: query and key of each layer, (head, token, size).
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
    """Return the answers if each layer were the last: probabilities (layer, class).

    Args:
        outputs: output of each layer for one picture, (batch, token, feature).
        read: the network's last norm and head, from the last layer's tokens to the logits.
    """
    with torch.no_grad():
        return np.stack([probabilities(read(tokens))[0].double().numpy() for tokens in outputs])


def rollout(weights: Tensor) -> Tensor:
    """Return how much each output token takes from each input token, if skips and heads count equally.

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
    """Return the share of each token in every other for each layer, half from the mean over heads and half from the
    skip connection: float (layer, query, key), from weights (layer, head, query, key).
    """
    mean = weights.mean(1)
    return (mean + torch.eye(mean.shape[-1]).to(mean)) / 2


def weighted_rollout(weights: Tensor, gradients: Tensor) -> Tensor:
    """Return the rollout with each weight multiplied by the derivative of the answer: gradient times attention.

    Args:
        weights: float (layer, head, query, key).
        gradients: derivatives of the answer by the weights, of the same shape.

    Returns:
        float (query, key), 0 or more. The diagonal starts at 1.
    """
    found = torch.eye(weights.shape[-1]).to(weights)
    for layer in (weights * gradients).clamp(min=0).mean(1):
        found = found + layer @ found
    return found


def weights_and_gradients(model: nn.Module, images: Tensor, paths: Sequence[str], answer: int) -> tuple[Tensor, Tensor]:
    """Return the weights of all layers for one picture, and the derivatives of an answer's logit by each weight.

    Args:
        model: the model, in evaluation mode.
        images: float (1, channel, row, column) in 0..1.
        paths: tap paths of the weights, in the order of the layers.
        answer: number of the class; for two classes, the log-odds in its favour.

    Returns:
        Two float tensors (layer, head, query, key).
    """
    if len(images) != 1:
        raise BadInput(f"Weights and their gradients are those of one picture, not of {len(images)}.")
    held: dict[str, Tensor] = {}

    def hold(path: str, weights: Tensor) -> Tensor:
        held[path] = weights.detach().requires_grad_()
        return held[path] + (weights - weights.detach())  # a separate leaf, with the path to earlier layers kept

    edits = {path: (lambda tensor, path=path: hold(path, tensor)) for path in paths}
    with torch.enable_grad(), trace(model, keep=(), edits=edits):
        logits = model(images)
    gradients = torch.autograd.grad(toward(logits, torch.tensor([answer])).sum(), [held[path] for path in paths])
    return torch.cat([held[path].detach() for path in paths]), torch.cat(gradients)


LEAST = 1e-12  # capacity below which an edge is full: sums of weights are about as exact


def attention_flow(mixed: Floats, reader: Floats) -> Floats:
    """Return the maximum flow from each input token to the tokens that the answer reads.

    Args:
        mixed: share of each token in every other, including the skip connection, for each layer, (layer, query, key);
            each row sums to one.
        reader: share of each output token in the answer's input, (token,).

    Returns:
        (token,), 0..1. Flows from different tokens share edges, so they need not sum to one.
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
    """Return the maximum flow between two nodes, given capacities (from, to)."""
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
                path = path[: int((left[steps] <= LEAST).argmax()) + 1]  # back to the edge before the full one
                continue
            onward = np.where(level == level[at] + 1, left[at], 0)
            best = int(onward.argmax())
            if onward[best] > LEAST:
                path.append(best)
            else:
                level[path.pop()] = -1  # a dead end
    return total


def _levels(open_: npt.NDArray[np.bool_], source: int) -> npt.NDArray[np.int64]:
    """Return the minimum number of edges with free capacity from a source to each node; -1 if there is no path."""
    level = np.full(len(open_), -1)
    reached = np.array([source])
    for steps in range(len(open_)):
        level[reached] = steps
        reached = np.flatnonzero(open_[reached].any(0) & (level < 0))
        if not len(reached):
            break
    return level

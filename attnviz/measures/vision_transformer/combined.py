"""One map for all layers: how much the token that is read at the end takes from each token at the beginning.

Source: rollout: "Quantifying Attention Flow in Transformers", Abnar and Zuidema, 2020,
https://arxiv.org/abs/2005.00928; gradient times attention: "Generic Attention-model Explainability for Interpreting
Bi-Modal and Encoder-Decoder Transformers", Chefer et al., 2021, https://arxiv.org/abs/2103.15679, equations 5 and 6.

Differs: a rollout mixes the mean of the heads and the skip connection in equal parts, as its authors do.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.measures.jacobian import toward
from attnviz.tracing import trace


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

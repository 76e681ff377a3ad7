"""A register at test time: the activations that make a patch an outlier move to a token that training did not have.

Source: "Vision Transformers Don't Need Trained Registers", Jiang et al., 2025, https://arxiv.org/abs/2506.08010: a few
neurons of the feed-forward networks cause the outliers. The new token gets the largest activation of each of these
neurons over all tokens, and the patches get 0.

Differences: the neurons are found on the given picture, not on many. As in the paper, the new token starts at 0.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.measures.vision_transformer.normal import LARGE
from attnviz.tracing import trace

NEURONS = 10  # the maximum number of neurons to move, as in the paper


@dataclass(frozen=True)
class Neuron:
    """A neuron in the hidden layer of a feed-forward network.

    Args:
        layer: index of the layer, from 0.
        number: index in its hidden layer.
        activation: its mean at the outliers, after GELU.
    """

    layer: int
    number: int
    activation: float


def outliers(tokens: Tensor, prefix: int) -> Tensor:
    """Return the patches with an outlying norm, bool (token,): more than LARGE times the median of all tokens.

    Args:
        tokens: float (token, feature).
        prefix: number of leading tokens that are not patches; they are never outliers.
    """
    norms = tokens.norm(dim=-1)
    found: Tensor = norms > LARGE * norms.median()
    found[:prefix] = False
    return found


def register_neurons(model: Any, images: Tensor, most: int = NEURONS) -> list[Neuron]:
    """Return the neurons that are most active at outliers, up to the first layer with outliers.

    Args:
        model: one of our vision transformers.
        images: float (1, channel, row, column).

    Returns:
        At most `most` neurons, the most active first; empty if no patch is an outlier.
    """
    layers = [f"layers.{number}.output" for number in range(len(model.layers))]
    hidden: list[Tensor] = []
    with torch.no_grad(), ExitStack() as hooks, trace(model, layers) as seen:
        for part in _activations(model):
            hook = part.register_forward_hook(lambda _, given, output: hidden.append(output[0]))
            hooks.callback(hook.remove)
        model(images)
    return neurons_of([seen[path].at(batch=0) for path in layers], hidden, model.grid.prefix, most)


def neurons_of(outputs: Sequence[Tensor], hidden: Sequence[Tensor], prefix: int, most: int = NEURONS) -> list[Neuron]:
    """Return the neurons that are most active at outliers, up to the first layer with outliers.

    Args:
        outputs: tokens after each layer, float (token, feature).
        hidden: activations in each layer's feed-forward network, float (token, neuron).
        prefix: number of leading tokens that are not patches.
    """
    for last, tokens in enumerate(outputs):
        there = outliers(tokens, prefix)
        if there.any():
            means = torch.stack([one[there].mean(0) for one in hidden[: last + 1]])  # (layer, number)
            best = means.flatten().topk(min(most, means.numel()))
            places = [divmod(int(place), means.shape[1]) for place in best.indices]
            return [Neuron(*place, float(one)) for place, one in zip(places, best.values, strict=True) if one > 0]
    return []


class WithRegister(nn.Module):
    """A vision transformer with one additional token, to which the activations of some neurons are moved.

    Args:
        model: one of our vision transformers; its weights are shared.
        wider: the same architecture with one more register.
        neurons: the neurons to move.

    Call Args:
        images: float (batch, channel, row, column).

    Returns:
        logits, like those of the model.
    """

    def __init__(self, model: Any, wider: Any, neurons: Sequence[Neuron]) -> None:
        super().__init__()
        weights = model.state_dict()
        new = torch.zeros_like(model.get_parameter("layers.0.norm.weight"))[None]
        prefix = weights.get("prefix", new[:0])
        wider.to(new.dtype).load_state_dict({**weights, "prefix": torch.cat([prefix, new])})
        self.wider = wider.eval()
        self.by_layer = {
            number: [one.number for one in neurons if one.layer == number] for number in range(len(model.layers))
        }

    def forward(self, images: Tensor) -> Tensor:
        prefix = self.wider.grid.prefix
        with ExitStack() as hooks:
            for layer, part in enumerate(_activations(self.wider)):
                if moved := self.by_layer[layer]:
                    hook = part.register_forward_hook(lambda _, given, output, moved=moved: move(output, moved, prefix))
                    hooks.callback(hook.remove)
            logits: Tensor = self.wider(images)
        return logits


def move(activations: Tensor, neurons: Sequence[int], prefix: int) -> Tensor:
    """Return activations with the maximum of some neurons in the last token before the patches, and 0 in the patches.

    Args:
        activations: float (batch, token, neuron).
        prefix: number of tokens before the patches.
    """
    found = activations.clone()
    found[:, prefix - 1, neurons] = activations[..., neurons].amax(1)
    found[:, prefix:, neurons] = 0
    return found


def _activations(model: Any) -> list[nn.Module]:
    return [model.get_submodule(f"layers.{number}.feed.1") for number in range(len(model.layers))]

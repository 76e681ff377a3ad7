"""A vision transformer of which one patch has a large norm."""

import copy

import torch

from attnviz.tracing import trace


def with_an_outlier(model: torch.nn.Module, images: torch.Tensor) -> torch.nn.Module:
    """Return a copy in which one neuron of the first layer fires at the last patch alone, and makes its norm large."""
    made = copy.deepcopy(model)
    layer = made.layers[0]
    with torch.no_grad(), trace(made, ["layers.0.feed_forward"]):
        hidden = []
        hook = layer.feed[0].register_forward_hook(lambda _, given, output: hidden.append(given[0]))
        made(images)
        hook.remove()
        tokens = hidden[0][0]
        away = tokens[-1] - tokens[:-1].mean(0)
        middle = (tokens @ away)[:-1].max()
        scale = 20 / ((tokens @ away)[-1] - middle)
        layer.feed[0].weight[0], layer.feed[0].bias[0] = scale * away, -scale * (middle + 1e-3)
        layer.feed[2].weight[:, 0] = 10.0
    return made

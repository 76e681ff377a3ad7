"""Two checks of a map that claims to explain a network: does it depend on what was learnt, and on what is computed?

A map that hardly changes when the layers are made random shows the picture, not the network. And a network to whose
pictures a constant is added, and taken out again before the first layer, computes the same: a map that changes then
depends on the constant.

Source: "Sanity Checks for Saliency Maps", Adebayo et al., 2018, https://arxiv.org/abs/1810.03292; "The (Un)reliability
of Saliency Methods", Kindermans et al., 2019, https://arxiv.org/abs/1711.00867.
"""

import copy
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput


def from_the_top(model: nn.Module) -> list[str]:
    """Return the paths of a model's layers, the one nearest to the answer first.

    A layer is a module with learnt weights of its own, such as a linear layer or a convolution. A normalisation, which
    has a number for each channel only, belongs to the layer before it.

    The order is that in which the modules were made, reversed: for models that are not made in the order in which they
    compute, give `randomised` an order of your own.

    Args:
        model: any.

    Returns:
        Paths, as in `model.named_modules()`.
    """
    return list(_layers(model))[::-1]


def randomised(model: nn.Module, paths: Sequence[str], *, seed: int) -> Iterator[nn.Module]:
    """Make the layers of a copy of a model random, one after the other, and yield it after each.

    The weights of a layer are drawn anew from a normal distribution of the same mean and standard deviation; those of a
    normalisation that follows it, too.

    Args:
        model: left as it is.
        paths: of the layers, in their order, such as `from_the_top` gives.
        seed: of the weights.

    Yields:
        The same copy each time, with one more layer made random: compute from it before asking for the next.
    """
    generator = torch.Generator().manual_seed(seed)
    made = copy.deepcopy(model)
    known = _layers(made)
    for path in paths:
        if path not in known:
            raise BadInput(f"{path!r} is no layer with weights of this model; see `from_the_top`.")
        with torch.no_grad():
            for parameter in (one for module in known[path] for one in module.parameters(recurse=False)):
                drawn = torch.randn(parameter.shape, generator=generator).to(parameter)
                spread = parameter.std(correction=0) if parameter.numel() > 1 else parameter.abs()
                parameter.copy_(parameter.mean() + spread * drawn)
        yield made


def _layers(model: nn.Module) -> dict[str, list[nn.Module]]:
    """Return the layers by their paths, in the order in which they were made, each with what belongs to it."""
    found: dict[str, list[nn.Module]] = {}
    for path, module in model.named_modules():
        own = [parameter.ndim for parameter in module.parameters(recurse=False)]
        if not own:
            continue
        if not found or max(own) > 1:
            found[path] = []
        found[[*found][-1]].append(module)
    return found


class Shifted(nn.Module):
    """A network that takes pictures to which a constant was added, and computes what it computed without.

    The constant is taken out before the first layer, which is the same as a change of that layer's bias wherever the
    layer sees the whole of its input; at the edges of a padded convolution a bias alone could not do it.

    Args:
        model: of pictures.
        constant: (channel, row, column), or what broadcasts to it.

    Call Args:
        images: float (batch, channel, row, column), the pictures with the constant added.

    Returns:
        What the model returns for the pictures without it.
    """

    def __init__(self, model: nn.Module, constant: Tensor) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("constant", constant)

    def forward(self, images: Tensor) -> Tensor:
        found: Tensor = self.model(images - self.get_buffer("constant"))
        return found

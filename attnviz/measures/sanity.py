"""Two checks of a map that should explain a network: it must depend on what was learnt and on what is computed.

A map that hardly changes if the layers are randomised shows the picture, not the network. A network whose input has an
added constant, subtracted again before the first layer, computes the same. A map that changes then depends on the
constant.

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
    has only one number per channel, belongs to the layer before it.

    The order is the reverse of the order in which the modules were created. If a model computes in another order, pass
    your own paths to `randomised`.

    Args:
        model: any model.

    Returns:
        Paths, as in `model.named_modules()`.
    """
    return list(_layers(model))[::-1]


def randomised(model: nn.Module, paths: Sequence[str], *, seed: int) -> Iterator[nn.Module]:
    """Randomise the layers of a copy of a model one after the other, and yield it after each.

    The weights of a layer, and of a normalisation that follows it, are redrawn from a normal distribution with the same
    mean and standard deviation.

    Args:
        model: the model, which is not changed.
        paths: paths of the layers in the order to randomise them, such as those of `from_the_top`.
        seed: seed of the weights.

    Yields:
        The same copy each time, with one more random layer. Use it before requesting the next one.
    """
    generator = torch.Generator().manual_seed(seed)
    made = copy.deepcopy(model)
    known = _layers(made)
    for path in paths:
        if path not in known:
            raise BadInput(f"{path!r} is not a layer with weights in this model; see `from_the_top`.")
        with torch.no_grad():
            for parameter in (one for module in known[path] for one in module.parameters(recurse=False)):
                drawn = torch.randn(parameter.shape, generator=generator).to(parameter)
                spread = parameter.std(correction=0) if parameter.numel() > 1 else parameter.abs()
                parameter.copy_(parameter.mean() + spread * drawn)
        yield made


def _layers(model: nn.Module) -> dict[str, list[nn.Module]]:
    """Return the layers by path, in order of creation, each with the modules that belong to it."""
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
    """A network for pictures to which a constant was added, with the same results as without it.

    The constant is subtracted before the first layer. If the layer sees the whole of its input, this equals a change of
    its bias; at the edges of a padded convolution a bias alone would not be enough.

    Args:
        model: a model of pictures.
        constant: (channel, row, column), or a shape that broadcasts to it.

    Call Args:
        images: float (batch, channel, row, column), the pictures with the constant added.

    Returns:
        The model's output for the pictures without the constant.
    """

    def __init__(self, model: nn.Module, constant: Tensor) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("constant", constant)

    def forward(self, images: Tensor) -> Tensor:
        found: Tensor = self.model(images - self.get_buffer("constant"))
        return found

"""What the tests of the three gates share: layers of float64, maps, and the comparison of gradients."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def maps(channels: int = 6, rows: int = 5, columns: int = 7, count: int = 3, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, channels, rows, columns, dtype=torch.float64, generator=generator)


def filled(layer: nn.Module, seed: int = 1) -> nn.Module:
    """Return a layer in float64 with random weights, and running statistics as if it had been trained."""
    generator = torch.Generator().manual_seed(seed)
    layer = layer.double()
    with torch.no_grad():
        for name, tensor in layer.state_dict().items():
            if name.endswith("running_var"):
                tensor.uniform_(0.5, 2.0, generator=generator)
            elif tensor.is_floating_point():
                tensor.copy_(torch.randn(tensor.shape, dtype=torch.float64, generator=generator) * 0.5)
    return layer


def same_gradients(layer: nn.Module, by_hand: Callable[[Tensor], Tensor], given: Tensor) -> None:
    """Compare the derivatives of two computations of a layer, by its input and by all its parameters."""
    weight = torch.randn(layer(given).shape, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    wanted = []
    for compute in (layer, by_hand):
        asked = given.clone().requires_grad_()
        wanted.append(torch.autograd.grad((compute(asked) * weight).sum(), [asked, *layer.parameters()]))
    for (name, _), one, other in zip([("input", None), *layer.named_parameters()], *wanted, strict=True):
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-11), name
        assert one.abs().max() > 0, name

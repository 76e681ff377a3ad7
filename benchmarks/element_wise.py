"""What does it cost to train a layer of element-wise attention? All heads in one operation, against a loop over heads.

Forward and backward pass, float32, one thread, in turn in one run; and the memory saved for the backward pass.

python -m benchmarks.element_wise
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from attnviz.layers.element_wise import ElementWiseAttention
from attnviz.tracing import trace
from benchmarks.clock import amount, in_turn, table

HEADS, SIDE = 16, 28


class Loop(nn.Module):
    """The same layer, head after head, as the text describes it."""

    def __init__(self, layer: ElementWiseAttention) -> None:
        super().__init__()
        self.x_weights = nn.ParameterList([nn.Parameter(array.detach().clone()) for array in layer.x_weights])
        self.y_weights = nn.ParameterList([nn.Parameter(array.detach().clone()) for array in layer.y_weights])
        self.norms = nn.ModuleList([nn.BatchNorm2d(layer.shape[0], affine=False) for _ in layer.x_weights])
        self.conv = layer.conv

    def forward(self, images: Tensor) -> Tensor:
        heads = []
        for x_weights, y_weights, norm in zip(self.x_weights, self.y_weights, self.norms, strict=True):
            relevance = (images * x_weights).softmax(-1) * (images * y_weights).softmax(-2)
            heads.append(images * norm(relevance))
        joined: Tensor = self.conv(torch.cat(heads, 1))
        return (joined + images).relu()


def saved(step: Callable[[], Tensor]) -> float:
    """Return how many MB a forward pass saves for the backward pass, each piece of memory counted once."""
    found: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        found[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    kept = []  # so that no piece of memory is freed and counted under another's place
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        kept.append(step())
    return sum(found.values()) / 2**20


def main() -> None:
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    layer = ElementWiseAttention(channels=1, rows=SIDE, columns=SIDE, heads=HEADS, generator=generator)
    loop = Loop(layer)

    def spelled_out(images: Tensor) -> Tensor:
        with trace(layer, "output"), trace(layer, "relevance"):
            result: Tensor = layer(images)
        return result

    def backward(way: Callable[[], Tensor]) -> None:
        way().square().sum().backward()

    for batch in amount((1, 32, 256), (1,)):
        images = torch.rand(batch, 1, SIDE, SIDE, generator=generator)
        images *= torch.rand(images.shape, generator=generator) > 0.5
        ways: dict[str, Callable[[], Tensor]] = {
            "all heads at once": partial(layer, images),
            "a loop over heads": partial(loop, images),
            "all heads, spelled out for a trace": partial(spelled_out, images),
        }
        seconds = in_turn({name: partial(backward, way) for name, way in ways.items()})
        print(f"\n{HEADS} heads, {SIDE} x {SIDE}, batch {batch}, forward and backward, one thread\n")
        print(table(seconds, "all heads at once"))
        print(
            "\nSaved for the backward pass: " + ", ".join(f"{name} {saved(way):.3g} MB" for name, way in ways.items())
        )


if __name__ == "__main__":
    main()

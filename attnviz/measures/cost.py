"""How much arithmetic a model does: the multiply-adds of its matrix products and convolutions."""

from collections.abc import Sequence
from contextlib import nullcontext

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attnviz.tracing import trace


def multiply_adds(model: nn.Module, images: Tensor, taps: Sequence[str] = ()) -> int:
    """Return how many multiply-adds a forward pass takes; element-wise operations such as ReLU are not counted.

    Args:
        model: whose forward pass is counted.
        images: float (batch, channel, row, column), a batch that the model takes.
        taps: paths of taps that are kept during the pass. An attention layer computes its weights explicitly if they
            are kept, so that their arithmetic is counted.
    """
    heard = trace(model, taps) if taps else nullcontext()
    with torch.no_grad(), heard, FlopCounterMode(display=False) as counter:
        model(images)
    return int(counter.get_total_flops()) // 2

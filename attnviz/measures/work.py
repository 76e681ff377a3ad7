"""How much arithmetic a model does: the multiply-adds of its matrix products and convolutions."""

from collections.abc import Sequence
from contextlib import nullcontext

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attnviz.tracing import trace


def multiply_adds(model: nn.Module, images: Tensor, taps: Sequence[str] = ()) -> int:
    """Return how many multiply-adds a forward pass takes; what is done number by number, such as ReLU, is not counted.

    Args:
        model: that is asked.
        images: float (batch, channel, row, column), of what it takes.
        taps: paths of taps that are kept in the pass: attention whose weights are kept spells them out, so that they
            are counted.
    """
    heard = trace(model, taps) if taps else nullcontext()
    with torch.no_grad(), heard, FlopCounterMode(display=False) as counter:
        model(images)
    return int(counter.get_total_flops()) // 2

"""The amount of arithmetic of a model: the multiply-adds of its matrix products and convolutions."""

from collections.abc import Sequence
from contextlib import nullcontext

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attnviz.tracing import trace


def multiply_adds(model: nn.Module, images: Tensor, taps: Sequence[str] = ()) -> int:
    """Return the number of multiply-adds in a forward pass, without element-wise operations such as ReLU.

    Args:
        model: the model whose forward pass is counted.
        images: float (batch, channel, row, column), a batch for the model.
        taps: tap paths to keep during the pass. An attention layer computes its weights explicitly if they are kept,
            and that arithmetic is then counted.
    """
    heard = trace(model, taps) if taps else nullcontext()
    with torch.no_grad(), heard, FlopCounterMode(display=False) as counter:
        model(images)
    return int(counter.get_total_flops()) // 2

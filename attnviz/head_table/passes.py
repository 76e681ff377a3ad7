"""Measures from further passes of a model: heads switched off, the gradient, and erased tokens."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.answers import predicted
from attnviz.arrays import Floats
from attnviz.edits import off
from attnviz.grids import Grid
from attnviz.head_table.calls import Call
from attnviz.measures.agreement import ROUNDING, kendall
from attnviz.measures.token_boxes import boxes, erased
from attnviz.tracing import trace

BATCH = 256  # pictures per forward pass with erased tokens


def clear(logits: Tensor, answer: Tensor) -> Tensor:
    """Return the margin of an answer, int (picture,): its logit minus the mean of all logits, from (picture, 1) or
    (picture, class). For two classes with one logit it is the log-odds.
    """
    if logits.shape[1] == 1:
        return logits[:, 0] * (2 * answer - 1)
    return logits.gather(1, answer[:, None])[:, 0] - logits.mean(1)


def where(model: nn.Module) -> tuple[torch.device, torch.dtype]:
    """Return the device that a model computes on, and the precision of its input."""
    floats = [one for one in (*model.parameters(), *model.buffers()) if one.is_floating_point()]
    return (floats[0].device, floats[0].dtype) if floats else (torch.device("cpu"), torch.float32)


class Passes:
    """A model and its attention calls.

    Args:
        model: the model, in evaluation mode, on any device.
        calls: the model's attention calls.
    """

    def __init__(self, model: nn.Module, calls: Sequence[Call]) -> None:
        self.model, self.calls = model, tuple(calls)
        self.device, self.dtype = where(model)

    def answers(self, images: Tensor) -> Tensor:
        """Return the logits of pictures, on the CPU."""
        with torch.no_grad():
            found: Tensor = self.model(images.to(self.device, self.dtype))
        return found.cpu()

    def maps(self, images: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Return the logits of pictures, and the weights of each call, (picture, head, query, key)."""
        paths = [call.tap("weights") for call in self.calls]
        with torch.no_grad(), trace(self.model, paths) as seen:
            logits = self.model(images.to(self.device, self.dtype))
        return logits.cpu(), [seen[path].tensor for path in paths]

    def without_heads(self, images: Tensor, logits: Tensor) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Switch off each head, and return (head, picture): the loss of the margin, and whether the answer changes."""
        answer = predicted(logits)
        whole = clear(logits.double(), answer)
        lost, changed = [], []
        for call in self.calls:
            for head in range(call.heads):
                with trace(self.model, [], off(call.tap("mixed"), head=head)):
                    without = self.answers(images)
                lost.append(whole - clear(without.double(), answer))
                changed.append(predicted(without) != answer)
        return torch.stack(lost).numpy(), torch.stack(changed).numpy()

    def gradient(self, images: Tensor) -> Tensor | None:
        """Return the effect of a small change of each pixel on the answer: float64 (picture, row, column), 0 or more.

        It is the sum over the channels of the absolute derivative of the answer's margin; None if there is none.
        """
        with torch.enable_grad():
            taken = images.to(self.device, self.dtype).requires_grad_()
            logits = self.model(taken)
            if not logits.requires_grad:
                return None
            total = clear(logits, predicted(logits.detach())).sum()
            (found,) = torch.autograd.grad(total, taken, allow_unused=True)
        return None if found is None else found.abs().sum(1).double().cpu()

    def erasure(self, images: Tensor, logits: Tensor, grid: Grid, places: Tensor) -> Floats:
        """Erase each position with the mean of its picture, and return the loss of the margin: (picture, position)."""
        answer = predicted(logits)
        removed = torch.zeros(len(places), grid.rows * grid.columns, dtype=torch.bool)
        removed[torch.arange(len(places)), places] = True
        lost = []
        for some in torch.cartesian_prod(torch.arange(len(images)), torch.arange(len(places))).split(BATCH):
            which = some[:, 0]
            without = self.answers(erased(images[which], removed[some[:, 1]], grid))
            lost.append(clear(logits[which].double(), answer[which]) - clear(without.double(), answer[which]))
        found: Floats = torch.cat(lost).unflatten(0, (len(images), len(places))).numpy()
        return found


def of_places(pixels: Tensor, grid: Grid) -> Floats:
    """Return sums of pictures, float64 (picture, row, column), over boxes of positions: float64 (picture, position)."""
    covered = boxes(grid, *pixels.shape[1:]).flatten(1).double()
    return (pixels.flatten(1) @ covered.T).numpy()


def agreement(received: Floats, other: Floats) -> Floats:
    """Return Kendall's tau, (picture, head), between the weights that positions receive from each head, (picture, head,
    position), and another map of the same picture, (picture, position); NaN if a map is constant.
    """
    return kendall(received, np.broadcast_to(other[:, None], received.shape), equal=ROUNDING)

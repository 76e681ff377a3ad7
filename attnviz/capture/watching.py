"""Look at the attention of any model: `attnviz.watch(model)(batch)`."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import nn

from attnviz.listening import Edits, Parts, Trace, Unread
from attnviz.tracing import trace


class Watch(Unread):
    """A model that is called as before, and returns what was seen inside it."""

    _how = "attnviz.watch returns a function, which returns the readings: seen = attnviz.watch(model)(batch)."
    __enter__ = __exit__ = Unread._refuse

    def __init__(self, model: nn.Module, keep: Any, edits: Any, gradients: bool) -> None:
        self.model, self.keep, self.edits, self.gradients = model, keep, edits, gradients

    def __call__(self, *arguments: Any, **named: Any) -> Trace:
        """Run the model once; arguments as the model takes them.

        Returns:
            The readings by tap path, with what the model answered as `output`, and `report()`.

        Raises:
            TraceError: nothing was captured, or what was asked for was refused.
        """
        with (
            nullcontext() if self.gradients else torch.no_grad(),
            trace(self.model, self.keep, self.edits, gradients=self.gradients, capture=True) as seen,
        ):
            seen.output = self.model(*arguments, **named)
        return seen


def watch(
    model: nn.Module,
    keep: Sequence[str] | str | Parts = ("*",),
    edits: Edits | Sequence[Edits] | None = None,
    *,
    gradients: bool = False,
) -> Watch:
    """Look at the attention of any model, also of one that attnviz has never seen.

        seen = attnviz.watch(model)(batch)
        print(seen.report())
        seen["blocks.7.attn.weights"].at(head=3, query=(5, 7))

    A call of an attention is captured under the path of the module that makes it: PATH.query, key, value, scores,
    weights, mixed; the second call of one module under PATH@1. Gates are PATH.gate and PATH.space_gate. Weights are
    computed from query and key when they are looked at, in float64, except where the model computes them by itself.
    What weights times values give is compared with what the call returned; what differs by more than rounding is
    refused, as is whatever is no weighting of values by a softmax over keys.

    Args:
        model: any module, in evaluation mode.
        keep: tap paths, with * for any part, as in `trace`. A large model needs much memory for all of them.
        edits: as in `trace`.
        gradients: keep the graph, to differentiate through the readings.

    Returns:
        A function that takes what the model takes and returns the trace of that pass.
    """
    return Watch(model, keep, edits, gradients)

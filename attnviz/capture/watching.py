"""Inspect the attention of any model: `attnviz.watch(model)(batch)`."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import nn

from attnviz.listening import Edits, Parts, Trace, Unread
from attnviz.tracing import trace


class Watch(Unread):
    """A model that is called as before, and returns the trace of its pass."""

    _how = "attnviz.watch returns a function, which returns the readings: seen = attnviz.watch(model)(batch)."
    __enter__ = __exit__ = Unread._refuse

    def __init__(self, model: nn.Module, keep: Any, edits: Any, gradients: bool) -> None:
        self.model, self.keep, self.edits, self.gradients = model, keep, edits, gradients

    def __call__(self, *arguments: Any, **named: Any) -> Trace:
        """Run the model once, with the model's own arguments.

        Returns:
            The readings by tap path, with the model's result as `output`, and `report()`.

        Raises:
            TraceError: nothing was captured, or a requested call was refused.
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
    """Inspect the attention of any model, including models that attnviz does not know.

        seen = attnviz.watch(model)(batch)
        print(seen.report())
        seen["blocks.7.attn.weights"].at(head=3, query=(5, 7))

    An attention call is captured under the path of the module that makes it: PATH.query, key, value, scores,
    weights, mixed; the second call of one module under PATH@1. Gates are PATH.gate and PATH.space_gate. Weights are
    computed from query and key on access, in float64, unless the model computes them itself. The product of weights
    and values is compared with the result of the call. A call that differs by more than rounding is refused, as is
    any call that does not weight values by a softmax over keys.

    Args:
        model: any module, in evaluation mode.
        keep: tap paths, with * for any part, as in `trace`. Keeping all taps of a large model needs much memory.
        edits: as in `trace`.
        gradients: keep the graph, to differentiate through the readings.

    Returns:
        A function that takes the model's arguments and returns the trace of that pass.
    """
    return Watch(model, keep, edits, gradients)

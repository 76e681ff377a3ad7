"""Whether the weights determine the output: replace them by others, and measure how the answer changes.

All weights here are float (batch, head, step, key) and sum to one over the keys.

Source: permuted weights and the total variation of the answers are from "Attention is not Explanation", Jain and
Wallace, 2019, https://arxiv.org/abs/1902.10186, section 4.2. The paper did not test models that output texts.
"""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from attnviz.edits import Edit, set_value
from attnviz.errors import BadInput
from attnviz.readings import Reading
from attnviz.tracing import trace


def rows(reading: Reading) -> Tensor:
    """Return the weights of a reading, a row for each step, float (batch, head, step, key). The reading holds all steps
    at once (batch, head, query, key), or one by one (step, batch, head, key) or (step, batch, head, 1, key).
    """
    tensor = reading.tensor
    if reading.axes[0] != "step":
        return tensor
    several = tensor.flatten(3) if tensor.ndim == 5 else tensor  # (step, batch, head, key): one query per step
    return several.movedim(0, 2)


def edits_of(readings: Mapping[str, Reading], weights: Mapping[str, Tensor]) -> dict[str, list[Edit]]:
    """Return the edits for `attnviz.trace` that set weights, in a pass with as many steps: tap path -> (batch, head,
    step, key). The readings show whether the model reaches a tap once per step.
    """
    return {path: _edits(readings[path], one) for path, one in weights.items()}


def _edits(reading: Reading, weights: Tensor) -> list[Edit]:
    if reading.axes[0] != "step":
        return [set_value(weights)]
    each = weights.unbind(2) if "query" not in reading.axes else weights.split(1, 2)
    return [set_value(row, step=step) for step, row in enumerate(each)]


def swapped(weights: Tensor, order: Sequence[int]) -> Tensor:
    """Return weights (batch, head, step, key) in which each step has the weights of the step that `order` names."""
    steps = weights.shape[2]
    if len(order) != steps or not all(0 <= step < steps for step in order):
        raise BadInput(f"An order of {steps} steps names a step from 0 to {steps - 1} for each, not {list(order)}.")
    return weights[:, :, list(order)]


def permuted(weights: Tensor, generator: torch.Generator) -> Tensor:
    """Return weights (batch, head, step, key) with randomly permuted keys, in one order per text for all heads and
    steps.
    """
    order = torch.rand(len(weights), weights.shape[-1], generator=generator).argsort(-1).to(weights.device)
    return weights.gather(-1, order[:, None, None].expand(weights.shape))


def even(weights: Tensor) -> Tensor:
    """Return weights, float (batch, head, step, key), that are equal for all keys."""
    return torch.full_like(weights, 1 / weights.shape[-1])


def only_peak(weights: Tensor) -> Tensor:
    """Return weights, float (batch, head, step, key), that are 1 at the maximum of each step and 0 elsewhere."""
    return torch.zeros_like(weights).scatter(-1, weights.argmax(-1, keepdim=True), 1.0)


def total_variation(one: Tensor, other: Tensor) -> Tensor:
    """Return the total variation distance of two answers (..., class), half the sum of the absolute differences of
    their probabilities: (...), from 0 if equal to 1 if disjoint.
    """
    return (one - other).abs().sum(-1) / 2


def one_at_a_time(model: nn.Module, strips: Tensor, texts: Tensor, weights: Sequence[str], others: Tensor) -> Tensor:
    """Return the prediction of each step when only this step receives the weights of another step.

    If many steps are swapped at once, their inputs also change the state of a recurrent decoder, which may then take
    the strip to be at its end.

    Args:
        model: the model, in evaluation mode; it takes `targets`.
        strips: float (batch, 1, row, column) in 0..1, of equal length.
        texts: int64 (batch, step), the true texts including the stop symbol: every step receives the symbols before it.
        weights: tap paths whose weights are swapped together.
        others: int64 (batch, digit), for each step except the last, which keeps its weights, the step whose weights it
            receives.

    Returns:
        int64 (batch, digit).
    """
    steps = others.shape[1]
    with torch.no_grad():
        with trace(model, keep=list(weights)) as seen:
            model(strips, targets=texts)
        given = {path: _one_swapped(rows(seen[path]), others) for path in weights}
        decode = encoded_once(model, strips, steps)
        with trace(model, keep=[], edits=edits_of(seen, given)):
            logits = decode(texts.repeat(steps, 1)).unflatten(0, (steps, len(strips)))
    return torch.stack([logits[step, :, step].argmax(-1) for step in range(steps)], 1)


def encoded_once(model: nn.Module, strips: Tensor, copies: int) -> Callable[[Tensor], Tensor]:
    """Encode strips, and return a function that decodes copies of them, concatenated along the batch.

    Args:
        model: see `one_at_a_time`; a model without `encode` and `decode` runs both for each copy.
        strips: see `one_at_a_time`.
        copies: number of copies, which edits of the decoder's taps can distinguish.

    Returns:
        A function from the true texts, int64 (copies * batch, step), to logits (copies * batch, step, class).
    """
    encode, decode = (getattr(model, name, None) for name in ("encode", "decode"))
    if encode is None or decode is None:
        return lambda texts: model(_copied(strips, copies), targets=texts)
    encoded = encode(strips)
    parts = _copied(encoded, copies) if isinstance(encoded, Tensor) else tuple(_copied(one, copies) for one in encoded)
    return lambda texts: decode(parts, texts)


def _copied(batch: Tensor, copies: int) -> Tensor:
    return batch.repeat(copies, *[1] * (batch.ndim - 1))


def _one_swapped(weights: Tensor, others: Tensor) -> Tensor:
    """Return one copy of the weights per step, in which this step has those of another: (step * batch, ...)."""
    steps = others.shape[1]
    copies = weights.repeat(steps, 1, 1, 1)
    for step, one in enumerate(copies.split(len(weights))):
        one[:, :, step] = weights[torch.arange(len(weights)), :, others[:, step]]
    return copies

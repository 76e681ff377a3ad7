"""Which digits of a strip matter for each output symbol: four methods, and their agreement.

"weights": the weight of a step on a digit. "gradient": the sum over the digit's pixels of the absolute derivative of
the symbol's logit. "pixels": the decrease of the symbol's log probability if the digit is erased from the picture.
"annotations": the same if no step can attend to the digit's columns; neighbouring columns may still contain information
about it.

Agreement with the weights is meaningful only next to the agreement of two other methods.

Source: gradients and erasure next to attention: "Attention is not Explanation", Jain and Wallace, 2019,
https://arxiv.org/abs/1902.10186; erasure of what is attended to: "Is Attention Interpretable?", Serrano and Smith,
2019, https://arxiv.org/abs/1906.03731.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import torch
from torch import Tensor, nn

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.agreement import ROUNDING, kendall
from attnviz.measures.sequences.steering import encoded_once, rows
from attnviz.tracing import trace

METHODS = ("weights", "gradient", "pixels", "annotations")
HIDDEN = -1e9  # a score before the softmax that makes the weight 0


def by_method(
    model: nn.Module, strips: Tensor, texts: Tensor, *, weights: Sequence[str], scores: Sequence[str]
) -> dict[str, Tensor]:
    """Return the importance of each digit for each step by each method, given the true symbols before each step.

    Args:
        model: the model, in evaluation mode; it takes `targets`.
        strips: float (batch, 1, row, column) in 0..1, of equal length.
        texts: int64 (batch, step), the true texts including the stop symbol; the last step is omitted.
        weights: tap paths of the weights, which are averaged over layers and heads.
        scores: tap paths of the inputs of the softmax, in the same layers.

    Returns:
        Method -> float (batch, step, digit); larger is more important.
    """
    digits, batch = texts.shape[1] - 1, len(strips)
    said = texts[:, :-1, None]
    told = texts.repeat(digits, 1)
    with torch.no_grad():
        with trace(model, keep=list(weights)) as seen:
            before = _log_probability(model(strips, targets=texts), said)
        means = torch.stack([rows(seen[path]).mean(1)[:, :digits] for path in weights]).mean(0)  # (batch, step, key)
        # One copy of the strips for each erased digit, concatenated along the batch.
        elsewhere = _other_digits(strips.shape[-1], digits).to(strips)[:, None, None, None]
        erased = model((strips * elsewhere).flatten(0, 1), targets=told)
        hidden = ~_other_digits(means.shape[-1], digits).to(strips.device).repeat_interleave(batch, 0)

        def hide(scores: Tensor) -> Tensor:
            return scores.masked_fill(hidden.view(len(hidden), *[1] * (scores.ndim - 2), -1), HIDDEN)

        decode = encoded_once(model, strips, digits)
        with trace(model, keep=[], edits=dict.fromkeys(scores, hide)):
            unseen = decode(told)
    # One copy for each step too, so that one backward pass yields the derivatives of all steps.
    copies = strips.detach().repeat(digits, 1, 1, 1).requires_grad_()
    with torch.enable_grad():
        logits = model(copies, targets=told).unflatten(0, (digits, batch))[:, :, :-1]
        chosen = logits.gather(-1, said.repeat(digits, 1, 1, 1))[..., 0]  # (copy, batch, step)
        (gradient,) = torch.autograd.grad(chosen.diagonal(dim1=0, dim2=2).sum(), copies)
    gradients = by_digit(gradient.abs().sum((1, 2)), digits).unflatten(0, (digits, batch)).movedim(0, 1)

    def fallen(logits: Tensor) -> Tensor:
        after = _log_probability(logits, said.repeat(digits, 1, 1))
        return torch.stack([before - one for one in after.split(batch)], -1)

    return {
        "weights": by_digit(means, digits),
        "gradient": gradients,
        "pixels": fallen(erased),
        "annotations": fallen(unseen),
    }


def _other_digits(columns: int, digits: int) -> Tensor:
    """Return the columns outside each digit: bool (digit, column)."""
    return digit_of(columns, digits) != torch.arange(digits)[:, None]


def _log_probability(logits: Tensor, said: Tensor) -> Tensor:
    return logits[:, :-1].log_softmax(-1).gather(-1, said)[..., 0]


def agreements(found: Mapping[str, Tensor]) -> dict[tuple[str, str], Floats]:
    """Return Kendall's rank correlation of every two methods, float (batch, step, digit) each, for every step of every
    strip: two methods -> float64 (batch, step), -1..1; NaN if a method is constant.
    """
    maps = {name: values.detach().double().cpu().numpy() for name, values in found.items()}
    return {(one, other): kendall(maps[one], maps[other], equal=ROUNDING) for one, other in combinations(maps, 2)}


def digit_of(columns: int, digits: int) -> Tensor:
    """Return the digit that contains the middle of each column: int64 (column,), counted from 0.

    Args:
        columns: number of columns of a strip, such as features or pixels, evenly spaced from its left edge. A digit
            takes a whole number of them, or one and a half, two and a half, ...; the last may extend over the edge.
        digits: number of digits in the strip.
    """
    if not 1 <= digits <= columns:
        raise BadInput(
            f"A strip of {digits} digits has at least as many columns, and one digit or more, not {columns}."
        )
    return torch.arange(columns) * 2 // (2 * columns // digits)


def by_digit(values: Tensor, digits: int) -> Tensor:
    """Return the sums of values (..., column) over the columns of each digit of a strip: float (..., digit)."""
    which = digit_of(values.shape[-1], digits).to(values.device)
    sums = values.new_zeros(*values.shape[:-1], digits)
    return sums.index_add(-1, which, values)

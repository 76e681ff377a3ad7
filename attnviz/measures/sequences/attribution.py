"""Which digits of a strip count for each symbol that is said: four answers, and how far they agree.

"weights": how much of a step's weight lies on a digit. "gradient": the sum over its pixels of the absolute derivative
of the symbol's logit. "pixels": by how much the symbol's log probability falls when the digit is erased from the
picture. "annotations": the same when no step may attend to the columns of the digit, whose neighbours may know of it.

No agreement with the weights says anything without that of two other methods beside it.

Source: gradients and erasure beside attention: "Attention is not Explanation", Jain and Wallace, 2019,
https://arxiv.org/abs/1902.10186; erasure of what is attended: "Is Attention Interpretable?", Serrano and Smith, 2019,
https://arxiv.org/abs/1906.03731.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.edits import set_value
from attnviz.measures.agreement import ROUNDING, kendall
from attnviz.measures.sequences.places import by_digit, digit_of
from attnviz.measures.sequences.steering import rows
from attnviz.tracing import Edit, trace

Floats = npt.NDArray[np.float64]

METHODS = ("weights", "gradient", "pixels", "annotations")
HIDDEN = -1e9  # a score before the softmax, which leaves nothing of the weight


def by_method(
    model: nn.Module, strips: Tensor, texts: Tensor, *, weights: Sequence[str], scores: Sequence[str]
) -> dict[str, Tensor]:
    """Return how much each digit counts for each step by each method, with the true symbols before each step.

    Args:
        model: in evaluation mode; it takes `targets`.
        strips: float (batch, 1, row, column) in 0..1, of one length.
        texts: int64 (batch, step), the true texts with what ends them; the last step is left out.
        weights: tap paths of the weights, whose mean over layers and heads is taken.
        scores: tap paths of what the softmax is taken of, at the same layers.

    Returns:
        Method -> float (batch, step, digit); larger counts more.
    """
    digits = texts.shape[1] - 1
    said = texts[:, :-1, None]
    seen_strips = strips.detach().requires_grad_()
    with torch.enable_grad(), trace(model, keep=list(weights)) as seen:
        logits = model(seen_strips, targets=texts)
    chosen = logits[:, :-1].gather(-1, said)[..., 0]  # (batch, step), of the true symbols
    gradients = []
    for step in range(digits):
        (gradient,) = torch.autograd.grad(chosen[:, step].sum(), seen_strips, retain_graph=step < digits - 1)
        gradients.append(by_digit(gradient.abs().sum((1, 2)), digits))
    means = torch.stack([rows(seen[path]).mean(1)[:, :digits] for path in weights]).mean(0)  # (batch, step, key)
    before = _log_probability(logits.detach(), said)
    pixels, annotations = [], []
    which_pixels, which_keys = digit_of(strips.shape[-1], digits), digit_of(means.shape[-1], digits)
    with torch.no_grad():
        for digit in range(digits):
            erased = strips * (which_pixels != digit).to(strips)
            pixels.append(before - _log_probability(model(erased, targets=texts), said))
            keys = (which_keys == digit).nonzero()[:, 0].tolist()
            hidden: dict[str, Edit] = {path: set_value(HIDDEN, key=keys) for path in scores}
            with trace(model, keep=[], edits=hidden):
                annotations.append(before - _log_probability(model(strips, targets=texts), said))
    return {
        "weights": by_digit(means, digits),
        "gradient": torch.stack(gradients, 1),
        "pixels": torch.stack(pixels, -1),
        "annotations": torch.stack(annotations, -1),
    }


def _log_probability(logits: Tensor, said: Tensor) -> Tensor:
    return logits[:, :-1].log_softmax(-1).gather(-1, said)[..., 0]


def agreements(found: Mapping[str, Tensor]) -> dict[tuple[str, str], Floats]:
    """Return Kendall's rank correlation of each two methods, for every step of every strip.

    Args:
        found: method -> float (batch, step, digit), of at least two digits.

    Returns:
        Two methods -> float64 (batch, step), -1..1; NaN where one of them ranks nothing.
    """
    maps = {name: values.detach().double().cpu().numpy() for name, values in found.items()}
    return {(one, other): kendall(maps[one], maps[other], equal=ROUNDING) for one, other in combinations(maps, 2)}

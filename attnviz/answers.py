"""Conversions from pictures to a model's input and from its logits to its answer, the same for every model."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attnviz.errors import BadInput


def as_batch(pictures: npt.NDArray[np.uint8], *, double: bool = False) -> Tensor:
    """Convert pictures, uint8 (picture, row, column, channel), or a single picture, into a model's input, (batch,
    channel, row, column) in 0..1: k/255, rounded to single or double precision.
    """
    pictures = pictures if pictures.ndim == 4 else pictures[None]
    batch = torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy())
    return (batch.double() if double else batch.float()) / 255


def probabilities(logits: Tensor) -> Tensor:
    """Convert logits, (batch, class) or (batch, step, class), into a distribution, or one per step: 0..1, summing to 1
    over the last axis.

    A model of two classes may have a single logit, the log-odds of the second class.
    """
    _check(logits)
    if logits.shape[-1] == 1:
        return torch.cat([-logits, logits], dim=-1).sigmoid()
    return logits.softmax(-1)


def predicted(logits: Tensor) -> Tensor:
    """Return the numbers of the most probable classes, int64 (batch,) or (batch, step), in the form of targets
    (`attnviz.data.targets`). The logits are as in `probabilities`.
    """
    _check(logits)
    return (logits[..., 0] > 0).long() if logits.shape[-1] == 1 else logits.argmax(-1)


def answer_factors(logits: Tensor) -> Tensor:
    """Return the factors whose product with the logits of one picture, (logit,), measures how clear the answer is: for
    two classes its log-odds, at least 0; for more, its logit minus the mean over classes.
    """
    if logits.ndim != 1:
        raise BadInput(f"One distribution has logits (class,), not {tuple(logits.shape)}: choose a step first.")
    if len(logits) == 1:
        return logits.new_tensor([1.0 if logits[0] > 0 else -1.0])
    factors = torch.full_like(logits, -1 / len(logits))
    factors[logits.argmax()] += 1
    return factors


def _check(logits: Tensor) -> None:
    if logits.ndim not in (2, 3):
        raise BadInput(
            "An answer is one distribution, logits (batch, class), or one per step, (batch, step, class), not "
            f"{tuple(logits.shape)}."
        )

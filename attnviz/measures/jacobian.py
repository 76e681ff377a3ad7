"""The Jacobian: how much a small change of each number of the picture changes the answer.

Source: gradients of the answer as a map are from "Deep Inside Convolutional Networks", Simonyan, Vedaldi and Zisserman,
2013, https://arxiv.org/abs/1312.6034. They describe small changes only, not the removal of a pixel.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnviz.answers import predicted
from attnviz.errors import BadInput

Model = Callable[[Tensor], Tensor]
"""A model as a function of pictures alone, with other inputs, such as random numbers, fixed."""


def jacobian(model: Model, images: Tensor, answer: int | Tensor | None = None) -> Tensor:
    """Return the derivative of each picture's chosen logit with respect to each of its numbers.

    Args:
        model: a model of pictures in evaluation mode, so that no picture changes the answer to another one.
        images: float (batch, channel, row, column) in 0..1, in the model's precision.
        answer: number of the class, one for all pictures or (batch,) one per picture; None for the predicted class.

    Returns:
        (batch, channel, row, column): logit per unit of intensity, where one unit is the step from black to white.

    Raises:
        BadInput: the model has no derivative with respect to its pictures, or the class does not exist.
    """
    return answered(model, images, answer)[1]


def answered(model: Model, images: Tensor, answer: int | Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return the logits and the `jacobian` from a single forward pass, which can be traced.

    Args:
        model, images, answer: see `jacobian`.

    Returns:
        float (batch, column) and float (batch, channel, row, column).
    """
    with torch.inference_mode(False), torch.enable_grad():
        pixels = images.detach().clone().requires_grad_()
        logits = model(pixels)
        chosen = predicted(logits.detach()) if answer is None else _checked(answer, logits)
        found = None
        if logits.requires_grad:
            (found,) = torch.autograd.grad(toward(logits, chosen).sum(), pixels, allow_unused=True)
    if found is None:
        raise BadInput(
            f"{type(model).__name__} has no derivative by its pictures because it rounds or counts. Choose another "
            "model."
        )
    return logits.detach(), found


def toward(logits: Tensor, answer: Tensor) -> Tensor:
    """Return each picture's logit for a class, int (batch,), from logits (batch, 1) or (batch, class): float (batch,).
    For two classes it is the log-odds in favour of the class.
    """
    if logits.ndim != 2:
        raise BadInput(
            "A single answer with logits (batch, class) is needed, but this model answers step by step: its logits are "
            f"{tuple(logits.shape)}. Choose another model."
        )
    if logits.shape[1] == 1:
        return logits[:, 0] * (2 * answer - 1)
    return logits.gather(1, answer[:, None])[:, 0]


def _checked(answer: int | Tensor, logits: Tensor) -> Tensor:
    classes = max(2, logits.shape[1])
    chosen = torch.as_tensor(answer, device=logits.device)
    if chosen.is_floating_point() or chosen.shape not in ((), logits.shape[:1]):
        raise BadInput(f"The answer must be the number of a class, or one per picture ({len(logits)}), not {answer!r}.")
    if ((chosen < 0) | (chosen >= classes)).any():
        raise BadInput(f"There is no class {int(chosen.max())}: this model has {classes}, counted from 0.")
    return chosen.long().expand(len(logits))

"""The Jacobian: how much each number of the picture moves the answer, if it moves a little.

Source: gradients of the answer as a map: "Deep Inside Convolutional Networks", Simonyan, Vedaldi and Zisserman, 2013,
https://arxiv.org/abs/1312.6034. It describes small changes only, not the removal of a pixel.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnviz.answers import predicted
from attnviz.errors import BadInput

Model = Callable[[Tensor], Tensor]
"""A model as a function of pictures alone: what else it takes, such as random numbers, is fixed."""


def jacobian(model: Model, images: Tensor, answer: int | Tensor | None = None) -> Tensor:
    """Return the derivative of the shown logit of each picture by each of its numbers.

    Args:
        model: of pictures, in evaluation mode: no picture may change the answer to another one.
        images: float (batch, channel, row, column) in 0..1, of the model's precision.
        answer: number of the class, the same for all pictures or (batch,) one each; None for the one it chooses.

    Returns:
        (batch, channel, row, column): logit per unit of intensity, where 1 is from black to white.

    Raises:
        BadInput: the model has no derivative by its pictures, or there is no such class.
    """
    return answered(model, images, answer)[1]


def answered(model: Model, images: Tensor, answer: int | Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return the logits and the `jacobian` from the same forward pass, which may be traced.

    Args:
        model, images, answer: as for `jacobian`.

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
    """Return each picture's logit of a class, int (batch,), from logits (batch, 1) or (batch, class): float (batch,);
    of two classes, the log-odds toward it.
    """
    if logits.ndim != 2:
        raise BadInput(
            "One answer is looked at, with logits (batch, class), but this model answers step by step: its logits are "
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

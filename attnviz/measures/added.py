"""What each pixel adds to an answer, where an answer is a sum over pixels: of nets in which no pixel looks at another.

Such a net says logit(picture) = logit(blank) + the sum over pixels of what each alone would change on blank paper. That
is exact. A line through the pixels has a weight for each; one through a histogram moves a pixel from the bin of
paper to that of its intensity.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Added:
    """An answer as a sum over pixels: logit = blank + pixels.sum().

    Args:
        answer: number of the class that the model chooses.
        logit: toward it: for two classes the log-odds, never below 0; for more its logit less the mean over classes.
        pixels: (row, column) what each pixel adds, compared with paper in its place.
        blank: the same logit of a picture without ink.
    """

    answer: int
    logit: float
    pixels: Tensor
    blank: float


def by_line(weight: Tensor, image: Tensor) -> Tensor:
    """Return what each pixel adds to each logit of a line through the pixels.

    Args:
        weight: (logit, pixel), of intensities in 0..1.
        image: (row, column) in 0..1; 0 is paper.

    Returns:
        (logit, row, column)
    """
    added: Tensor = weight.unflatten(1, image.shape) * image
    return added


def by_histogram(weight: Tensor, bins: Tensor) -> Tensor:
    """Return what each pixel adds to each logit of a line through the histogram of intensities.

    Args:
        weight: (logit, bin), of how many pixels are in a bin; the first is that of paper.
        bins: int (row, column), the bin of each pixel.

    Returns:
        (logit, row, column)
    """
    return weight[:, bins] - weight[:, :1, None]


def toward_answer(logits: Tensor, pixels: Tensor) -> Added:
    """Return an answer as a sum over pixels.

    Args:
        logits: (logit,) of one picture, as a model says it.
        pixels: (logit, row, column) what each pixel adds to each of them.
    """
    if len(logits) == 1:
        answer = int(logits[0] > 0)
        sides = torch.tensor([[2.0 * answer - 1.0]], dtype=logits.dtype)
    else:
        answer = int(logits.argmax())
        sides = torch.full((1, len(logits)), -1 / len(logits), dtype=logits.dtype)
        sides[0, answer] += 1
    logit = float((sides * logits).sum())
    toward = (sides[0, :, None, None] * pixels).sum(0)
    return Added(answer, logit, toward, logit - float(toward.sum()))

"""What each pixel adds to an answer, for models in which no pixel looks at another, so that the answer is a sum.

For such a model, logit(picture) = logit(blank) + the sum over pixels of what each alone changes on a blank picture.
This is exact. Logistic regression on the pixels has a weight for each; on a histogram, a pixel moves from the bin of
the background to that of its intensity.
"""

from dataclasses import dataclass

from torch import Tensor

from attnviz.answers import answer_factors, predicted


@dataclass(frozen=True, eq=False)
class PixelContribution:
    """An answer as a sum over pixels: logit = blank + pixels.sum().

    Args:
        answer: number of the class that the model predicts.
        logit: toward it: for two classes the log-odds, never below 0; for more its logit less the mean over classes.
        pixels: (row, column) what each pixel adds, compared with background in its place.
        blank: the same logit of a picture without ink.
    """

    answer: int
    logit: float
    pixels: Tensor
    blank: float


def by_line(weight: Tensor, image: Tensor) -> Tensor:
    """Return what each pixel adds to each logit of a logistic regression on the pixels.

    Args:
        weight: (logit, pixel), of intensities in 0..1; of a picture in colour, (logit, number).
        image: (row, column) or (channel, row, column), in 0..1; 0 is background.

    Returns:
        (logit, row, column) or (logit, channel, row, column)
    """
    added: Tensor = weight.unflatten(1, image.shape) * image
    return added


def by_histogram(weight: Tensor, bins: Tensor) -> Tensor:
    """Return what each pixel adds to each logit of a logistic regression on the histogram of intensities.

    Args:
        weight: (logit, bin), of how many pixels are in a bin; the first bin is that of the background.
        bins: int (row, column), the bin of each pixel.

    Returns:
        (logit, row, column)
    """
    return weight[:, bins] - weight[:, :1, None]


def toward_answer(logits: Tensor, pixels: Tensor) -> PixelContribution:
    """Return an answer as a sum over pixels.

    Args:
        logits: float (logit,), of one picture.
        pixels: float (logit, row, column), what each pixel adds to each of them.

    Returns:
        The chosen class, its logit, and what each pixel adds to it.
    """
    sides = answer_factors(logits)
    logit = float(sides @ logits)
    toward = (sides[:, None, None] * pixels).sum(0)
    return PixelContribution(int(predicted(logits[None])[0]), logit, toward, logit - float(toward.sum()))

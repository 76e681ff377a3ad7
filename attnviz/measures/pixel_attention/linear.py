"""Linear parts of pixel attention and its controls: components, models of one token, and contributions of pixels.

As functions of a pixel, the components of queries, keys and values are linear in its intensity, plus a position term. A
token is [intensity, code], and a linear layer computes component = slope x intensity + a term from code and bias.
Therefore two pictures, all black and all white, determine everything.
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.answers import answer_factors, predicted
from attnviz.arrays import Floats
from attnviz.errors import BadInput


@dataclass(frozen=True, eq=False)
class Lines:
    """The components of all heads as linear functions of the intensity.

    Args:
        slope: (head, component), its change from intensity 0 to intensity 1, the same at every token.
        start: (head, component), its value at intensity 0; the mean over the tokens if there is a position term.
        placed: whether there is a position term.
        lowest, highest: bounds of the components for any picture.
    """

    slope: Floats
    start: Floats
    placed: bool
    lowest: float
    highest: float


def lines(black: Floats, white: Floats) -> Lines:
    """Return the linear functions that pass through the components of two pictures.

    Args:
        black, white: (head, token, component), for the picture of all 0 and for that of all 1.

    Returns:
        The slope and start of every component, and the bounds.
    """
    if black.shape != white.shape:
        raise BadInput(f"Both pictures must give the same components, not {black.shape} and {white.shape}.")
    slopes = white - black
    slope = slopes.mean(1)
    most = max(np.abs(black).max(), np.abs(white).max())
    if np.abs(slopes - slope[:, None]).max() > 1e-6 * most:
        raise BadInput("These components are not linear in the intensity: their slopes differ from token to token.")
    return Lines(
        slope=slope,
        start=black.mean(1),
        placed=bool(np.ptp(black, axis=1).max() > 1e-9 * most),
        lowest=float(min(black.min(), white.min())),
        highest=float(max(black.max(), white.max())),
    )


@dataclass(frozen=True, eq=False)
class Line:
    """Logistic regression on the pixels, log-odds = sum(weight * intensity) + bias, as attention over one token.

    For a single token x the layer returns W_o (W_v x + b_v) + b_o regardless of query and key, since the only weight is
    1. The rest of the model is linear too, so everything combines into one weight per pixel and one bias.

    Args:
        weight: (row, column), for intensities in 0..1.
        bias: one number.
    """

    weight: Floats
    bias: float

    def logit(self, pictures: Floats) -> Floats:
        """Return the log-odds of pictures, float64 (..., row, column) in 0..1: float64 (...)."""
        found: Floats = (pictures * self.weight).sum((-2, -1)) + self.bias
        return found


def folded(
    value: tuple[Tensor, Tensor],
    output: tuple[Tensor, Tensor],
    classifier: tuple[Tensor, Tensor],
    *,
    mean: float,
    std: float,
    shape: tuple[int, int],
) -> Line:
    """Fold value, output and classifier of a one-token model into a single logistic regression on its pixels.

    Args:
        value, output, classifier: weight (out, in) and bias (out,) of each, in double precision.
        mean, std: mean and standard deviation that standardise the intensities.
        shape: rows and columns of the picture, which is the token, row by row.

    Returns:
        One weight per pixel and one bias, which yield the model's log-odds.
    """
    (wv, bv), (wo, bo), (wc, bc) = value, output, classifier
    if wv.shape[1] != shape[0] * shape[1] or wo.shape[1] != len(wv) or wc.shape != (1, len(wo)):
        shapes = ", ".join(str(tuple(weight.shape)) for weight in (wv, wo, wc))
        raise BadInput(f"Layers of the shapes {shapes} do not turn the {shape} pixels of one token into one number.")
    combined = (wc @ wo @ wv)[0]  # (pixel,)
    bias = wc[0] @ (wo @ bv + bo) + bc[0] - combined.sum() * mean / std
    return Line((combined / std).reshape(shape).numpy(), float(bias))


@dataclass(frozen=True, eq=False)
class PixelContribution:
    """An answer as a sum over pixels, for models without interaction between pixels: logit = blank + pixels.sum().

    The sum is exact: each pixel contributes the change that it alone causes on a blank picture. In logistic regression
    on the pixels that is its weighted intensity. On a histogram, a pixel moves from the background's bin to its own.

    Args:
        answer: number of the predicted class.
        logit: for two classes the log-odds of the answer, never below 0; else its logit minus the mean over classes.
        pixels: (row, column), the contribution of each pixel compared with background in its position.
        blank: the same logit for a picture without ink.
    """

    answer: int
    logit: float
    pixels: Tensor
    blank: float


def by_line(weight: Tensor, image: Tensor) -> Tensor:
    """Return the contribution of each pixel of an image (row, column) or (channel, row, column), from 0 as background
    to 1, to each logit of a logistic regression with weights (logit, number): (logit, *the image's shape).
    """
    added: Tensor = weight.unflatten(1, image.shape) * image
    return added


def by_histogram(weight: Tensor, bins: Tensor) -> Tensor:
    """Return the contribution of each pixel to each logit of a logistic regression on a histogram: (logit, row,
    column). Weights are (logit, bin), starting with the background's bin; bins are int (row, column), one per pixel.
    """
    return weight[:, bins] - weight[:, :1, None]


def toward_answer(logits: Tensor, pixels: Tensor) -> PixelContribution:
    """Return the predicted class for the logits (logit,) of one picture, as a sum over the contributions of its pixels
    to them, (logit, row, column).
    """
    sides = answer_factors(logits)
    logit = float(sides @ logits)
    toward = (sides[:, None, None] * pixels).sum(0)
    return PixelContribution(int(predicted(logits[None])[0]), logit, toward, logit - float(toward.sum()))

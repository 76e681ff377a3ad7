"""Where pixel attention and its controls are linear in the picture: components, one token, what each pixel adds.

The components of queries, keys and values as functions of a pixel: linear in its intensity, plus a position term. A
token is [intensity, code], and a linear layer makes component = slope x intensity + what code and bias add. So two
pictures, all black and all white, determine everything.
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
        slope: (head, component) by how much it rises from intensity 0 to intensity 1, at every token.
        start: (head, component) its value at intensity 0; the mean over the tokens if the position adds something.
        placed: whether the position adds something.
        lowest, highest: bounds of the components of any picture.
    """

    slope: Floats
    start: Floats
    placed: bool
    lowest: float
    highest: float


def lines(black: Floats, white: Floats) -> Lines:
    """Return the linear functions that fit the components on two pictures.

    Args:
        black, white: (head, token, component) on the picture of all 0, and of all 1.

    Returns:
        The slope and the start of every component, and their bounds.
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
    """A logistic regression on the pixels: log-odds = sum(weight * intensity) + bias. Attention over one token is one.

    With one token x the layer gives W_o (W_v x + b_v) + b_o, whatever query and key are, as the only weight is 1. What
    follows is linear too, so everything combines into one weight per pixel and one bias.

    Args:
        weight: (row, column), of intensities in 0..1.
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
    """Fold value, output and classifier of a one-token model into one logistic regression on its pixels.

    Args:
        value, output, classifier: weight (out, in) and bias (out,) of each, in double precision.
        mean, std: that intensities are standardised by.
        shape: rows and columns of the picture, which is the token row by row.

    Returns:
        One weight per pixel and one bias, which give the model's log-odds.
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
    """An answer as a sum over pixels, of a model in which no pixel looks at another: logit = blank + pixels.sum().

    The sum is exact: each pixel adds what it alone changes on a blank picture. Logistic regression on the pixels has a
    weight for each; on a histogram, a pixel moves from the bin of the background to that of its intensity.

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
    """Return what each pixel of an image (row, column) or (channel, row, column), 0 as background to 1, adds to each
    logit of a logistic regression with weights (logit, number): (logit, *the image's shape).
    """
    added: Tensor = weight.unflatten(1, image.shape) * image
    return added


def by_histogram(weight: Tensor, bins: Tensor) -> Tensor:
    """Return what each pixel adds to each logit of a logistic regression on the histogram of intensities: (logit, row,
    column). Weights are (logit, bin), the first bin that of the background; bins are int (row, column), one a pixel.
    """
    return weight[:, bins] - weight[:, :1, None]


def toward_answer(logits: Tensor, pixels: Tensor) -> PixelContribution:
    """Return an answer, the class that the logits (logit,) of one picture choose, as a sum over what each pixel adds to
    them, (logit, row, column).
    """
    sides = answer_factors(logits)
    logit = float(sides @ logits)
    toward = (sides[:, None, None] * pixels).sum(0)
    return PixelContribution(int(predicted(logits[None])[0]), logit, toward, logit - float(toward.sum()))

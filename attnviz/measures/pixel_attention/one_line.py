"""Attention over one token is no attention: its weight is 1, and the model is a logistic regression on the pixels.

With one token x the layer gives W_o (W_v x + b_v) + b_o, whatever query and key are. What follows is linear too, so
everything combines into one weight per pixel and one bias.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from torch import Tensor

from attnviz.errors import BadInput

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Line:
    """A logistic regression on the pixels: log-odds = sum(weight * intensity) + bias.

    Args:
        weight: (row, column), of intensities in 0..1.
        bias: one number.
    """

    weight: Array
    bias: float

    def logit(self, pictures: Array) -> Array:
        """Return the log-odds of pictures.

        Args:
            pictures: float64 (..., row, column) in 0..1.

        Returns:
            float64 (...).
        """
        found: Array = (pictures * self.weight).sum((-2, -1)) + self.bias
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

    Raises:
        BadInput: the layers do not follow one another from all pixels to one number.
    """
    (wv, bv), (wo, bo), (wc, bc) = value, output, classifier
    if wv.shape[1] != shape[0] * shape[1] or wo.shape[1] != len(wv) or wc.shape != (1, len(wo)):
        shapes = ", ".join(str(tuple(weight.shape)) for weight in (wv, wo, wc))
        raise BadInput(f"Layers of the shapes {shapes} do not turn the {shape} pixels of one token into one number.")
    combined = (wc @ wo @ wv)[0]  # (pixel,)
    bias = wc[0] @ (wo @ bv + bo) + bc[0] - combined.sum() * mean / std
    return Line((combined / std).reshape(shape).numpy(), float(bias))

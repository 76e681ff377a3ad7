"""Two numbers per picture, compared picture by picture: the difference, and how certain it is."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput
from attnviz.measures.difference import student

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Paired:
    """How much one number is above another, over pictures.

    Args:
        mean: of the differences.
        low, high: the ends of its 95 % interval, from the standard error over pictures, with Student's t.
        below: share of the pictures whose difference is below 0; 0..1.
    """

    mean: Array
    low: Array
    high: Array
    below: Array

    @property
    def verdicts(self) -> npt.NDArray[np.int64]:
        """1 where the interval lies above 0, -1 where below, 0 where it holds 0."""
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, 0))


def paired(one: Array, other: Array) -> Paired:
    """Compare two numbers picture by picture.

    Args:
        one, other: (picture, ...), of the same pictures.

    Returns:
        Of shape (...): `one` less `other`.

    Raises:
        BadInput: other shapes, or fewer than two pictures: one alone says nothing of the spread.

    Source: Student, "The probable error of a mean", 1908.
    """
    if one.shape != other.shape or len(one) < 2:
        raise BadInput(f"A comparison needs the same pictures, at least two, not {one.shape} and {other.shape}.")
    difference = one - other
    mean, error = difference.mean(0), difference.std(0, ddof=1) / np.sqrt(len(difference))
    half = student(len(difference) - 1) * error
    return Paired(mean, mean - half, mean + half, (difference < 0).mean(0))

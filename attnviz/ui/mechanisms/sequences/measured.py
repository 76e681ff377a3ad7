"""The measurements over many strips that the experiments show. Loads no torch."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.measures.difference import Paired

LATE = 3
"""The number of last steps, near the end of the strip, that are counted separately."""


@dataclass(frozen=True)
class Of:
    """Some test strips of the same number of digits."""

    source: str
    length: int
    first: int
    count: int

    @property
    def numbers(self) -> range:
        """The numbers of these strips among the test strips of that length."""
        return range(self.first, self.first + self.count)


@dataclass(frozen=True, eq=False)
class SteeredPart:
    """The results of a net on some strips when its weights are replaced.

    Args:
        right: Replacement -> the share of correct digits, (strip,); "own" for the unchanged net.
        apart: Replacement -> the mean total variation from the answer of the unchanged net, (strip,).
        singly: The outputs of single steps with the weights of another step, drawn at random, as (strip, step):
            "follows" if it is the other step's digit, "stays" if it is its own, "ends" if it ends the text. "counted"
            if the two digits differ; otherwise the others are False.
    """

    right: Mapping[str, Floats]
    apart: Mapping[str, Floats]
    singly: Mapping[str, npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Steered:
    """The results of a net on many strips when its weights are replaced.

    Args:
        digits: Replacement -> the share of correct digits; "own" for the unchanged net.
        apart: Replacement -> the mean total variation from the answer of the unchanged net.
        follows, stays, ends: How often a single step with the weights of another step outputs that step's digit, its
            own, or ends the text; NaN if no two digits differ.
        late: The share of steps that end the text that are among the last `LATE` steps; NaN if there are none.
    """

    digits: Mapping[str, float]
    apart: Mapping[str, float]
    follows: float
    stays: float
    ends: float
    late: float
    strips: int


@dataclass(frozen=True, eq=False)
class AgreedPart:
    """How far several methods agree on which digits count, on some strips.

    Args:
        pairs: Two methods -> Kendall's rank correlation, (strip, step).
        hits: Method -> whether the digit that counts most is the predicted one, (strip, step).
        chance: The correlation of the weights with a random map, (strip, step).
    """

    pairs: Mapping[tuple[str, str], Floats]
    hits: Mapping[str, npt.NDArray[np.bool_]]
    chance: Floats


@dataclass(frozen=True)
class Agreed:
    """How far several methods agree on which digits count.

    Args:
        mean, spread: Two methods -> the mean and standard deviation of Kendall's rank correlation over steps.
        hits: Method -> how often the digit that counts most is the predicted one.
        chance: The standard deviation of the correlation with a random map.
        more: How much more erased pixels agree with the weights than with the gradient, over strips, each averaged
            over its steps. None if fewer than two strips can be ranked by all three methods.
    """

    mean: Mapping[tuple[str, str], float]
    spread: Mapping[tuple[str, str], float]
    hits: Mapping[str, float]
    chance: float
    strips: int
    more: Paired | None


@dataclass(frozen=True, eq=False)
class OrderPart:
    """The results of a net on some strips: the shares of digits in the right place and in any place, (strip,), and the
    largest change of a logit when the columns of features are permuted.
    """

    right: Floats
    somewhere: Floats
    change: float

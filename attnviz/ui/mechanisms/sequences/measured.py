"""What is measured over many strips, as the experiments show it. Loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.measures.difference import Paired

LATE = 3
"""How many of the last steps are looked at apart: those near the end of the strip."""


@dataclass(frozen=True)
class Of:
    """Some test strips of so many digits."""

    source: str
    length: int
    first: int
    count: int

    @property
    def numbers(self) -> range:
        """Their numbers among the test strips of that length."""
        return range(self.first, self.first + self.count)


@dataclass(frozen=True, eq=False)
class SteeredPart:
    """What a net outputs for some strips when its weights are replaced.

    Args:
        right: name of the replacement -> (strip,) the share of digits that are right; "own" for the net as it is.
        apart: likewise, the mean total variation from the answer of the net as it is.
        singly: (strip, step) what a single step outputs with the weights of another one, drawn at random:
            "follows" where that is the other's digit, "stays" where it is its own, "ends" where it ends the text, and
            "counted" where the two digits differ; the others are False where they do not.
    """

    right: Mapping[str, Floats]
    apart: Mapping[str, Floats]
    singly: Mapping[str, npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Steered:
    """What a net outputs when its weights are replaced, over many strips.

    Args:
        digits: name of the replacement -> the share of digits that are right; "own" for the net as it is.
        apart: likewise, the mean total variation from the answer of the net as it is.
        follows, stays, ends: how often a single step with the weights of another one outputs the other's digit,
            its own, or ends the text; NaN where no two digits differ.
        late: which share of those that end the text are among the last `LATE` steps; NaN where none does.
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
        pairs: two methods -> (strip, step) Kendall's rank correlation.
        hits: method -> (strip, step) whether the digit that counts most is the one that is output.
        chance: (strip, step) the correlation of the weights with a map that is drawn at random.
    """

    pairs: Mapping[tuple[str, str], Floats]
    hits: Mapping[str, npt.NDArray[np.bool_]]
    chance: Floats


@dataclass(frozen=True)
class Agreed:
    """How far several methods agree on which digits count.

    Args:
        mean, spread: two methods -> mean and standard deviation of Kendall's rank correlation over steps.
        hits: method -> how often the digit that counts most is the one that is output.
        chance: standard deviation of the correlation with a map that is drawn at random.
        more: how much more erased pixels agree with the weights than with the gradient, over strips, each the mean of
            its steps; None where fewer than two strips can be ranked by all three.
    """

    mean: Mapping[tuple[str, str], float]
    spread: Mapping[tuple[str, str], float]
    hits: Mapping[str, float]
    chance: float
    strips: int
    more: Paired | None


@dataclass(frozen=True, eq=False)
class OrderPart:
    """What a net outputs for some strips, (strip,): the shares of digits that stand at their place, and at any place,
    and the largest change of a logit when the columns of features are permuted.
    """

    right: Floats
    somewhere: Floats
    change: float

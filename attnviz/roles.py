"""The one table of tap names: what each means, over which axes it runs, its range, and so how it is coloured.

A layer may only use names from this table, so that the same word means the same thing in every model, and a page can
draw a model that it has never seen.
"""

from dataclasses import dataclass
from typing import Literal

Range = Literal["signed", "unit", "positive"]

# Every word that an axes string may hold; `feature` also counts the components of one head's vectors.
AXES = (
    *("batch", "head", "query", "key", "token", "feature", "channel"),
    *("row", "column", "class", "glimpse", "scale", "layer"),
)


@dataclass(frozen=True)
class Role:
    """What a tap's name promises.

    Args:
        axes: the axes strings that a tap of this name may declare.
        meaning: one sentence for a person.
        range: signed (any number), unit (0 to 1) or positive (0 or more).
        sums_to_one: the axis along which the values sum to one, or None.
    """

    axes: tuple[str, ...]
    meaning: str
    range: Range
    sums_to_one: str | None = None

    @property
    def colouring(self) -> Literal["share", "signed", "unit", "positive"]:
        """How it is drawn: as multiples of an even share, around zero, from 0 to 1, or from 0 up."""
        return "share" if self.sums_to_one else self.range


_PER_HEAD = ("batch head token feature",)
_PAIRS = ("batch head query key",)

ROLES: dict[str, Role] = {
    "code": Role(("token feature",), "The position code that is joined to each token.", "signed"),
    "query": Role(_PER_HEAD, "What a token asks for.", "signed"),
    "key": Role(_PER_HEAD, "What a token offers to be found by.", "signed"),
    "value": Role(_PER_HEAD, "What a token hands over where it is attended to.", "signed"),
    "scores": Role(_PAIRS, "Query times key over the root of the head size, before the softmax.", "signed"),
    "weights": Role(_PAIRS, "How much of each key's value a query takes.", "unit", sums_to_one="key"),
    "mixed": Role(_PER_HEAD, "The values, averaged with the weights.", "signed"),
    "output": Role(("batch token feature",), "What the layer hands on for each token.", "signed"),
}

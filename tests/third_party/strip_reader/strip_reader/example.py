"""The row of `attnviz.subjects.EXAMPLES`: a strip of drawn digits, in the URL as row=314. It is in no data set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.data import strokes
from attnviz.errors import BadInput
from attnviz.subjects import ExampleKind, Net
from strip_reader.strips import MOST, SPEC


@dataclass(frozen=True)
class Strip:
    """One to three drawn digits side by side, whose target is a text.

    Args:
        word: the digits.

    Raises:
        BadInput: they are no digits, or too many.
    """

    word: str
    data: None = None
    ink: bool = True

    def __post_init__(self) -> None:
        if not (self.word.isascii() and self.word.isdecimal() and len(self.word) <= MOST):
            raise BadInput(f"A strip is one to {MOST} digits, such as 314, not {self.word[:100]!r}.")

    @property
    def key(self) -> str:
        """Its name in exports."""
        return f"row/{self.word}"

    @property
    def words(self) -> Mapping[str, str]:
        """The field of the URL that holds it."""
        return {"row": self.word}

    @property
    def asked(self) -> Mapping[str, Any]:
        """How a request of the live channel names it."""
        return {"data": f"row:{self.word}", "number": 0}

    @property
    def target(self) -> str:
        """The text that a net should read."""
        return self.word

    @property
    def picture(self) -> npt.NDArray[np.uint8]:
        """The strip, uint8 (28, 28 x digits, 1)."""
        return np.concatenate(list(strokes.draw([int(digit) for digit in self.word], seed=1)), 1)

    def taken_by(self, net: Net) -> npt.NDArray[np.uint8]:
        """Return the strip as it is.

        Raises:
            BadInput: it is not as wide as the net needs it.
        """
        least, most = SPEC.widths if net.data == SPEC.name else (net.input.columns, net.input.columns)
        if not least <= self.picture.shape[1] <= most:
            raise BadInput(f"{net.key} takes strips of {most} columns; this one has {self.picture.shape[1]}.")
        return self.picture


KIND = ExampleKind("Your strip", Strip)

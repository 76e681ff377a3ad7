"""What the target of a picture is, a class or a text; and so how targets are shown and compared. A data set says which.

Answers of a model are compared with targets in the same form: places of classes, see `attnviz.answers.predicted`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput


class Target(ABC):
    """What a data set's labels are. Labels and answers may be arrays of numpy or tensors."""

    per_step: ClassVar[bool]
    """Whether there is a label for each step, (count, step), and not one, (count,)."""
    what: ClassVar[str]
    """In words: "a class"."""

    @abstractmethod
    def words(self, label: Any, classes: Sequence[str]) -> str:
        """Return the label of one picture, or an answer in its form, as a person reads it."""

    @abstractmethod
    def correct(self, labels: Any, answers: Any) -> Any:
        """Return which answers are right, bool (count,)."""

    def check(self, name: str, labels: npt.NDArray[Any], classes: Sequence[str]) -> None:
        """Check that labels are of this kind: their number of axes, integers, each of a class."""
        axes = "(count, step)" if self.per_step else "(count,)"
        if labels.ndim != 1 + self.per_step or not np.issubdtype(labels.dtype, np.integer):
            raise BadInput(
                f"A target of {name} is {self.what}, so its labels must be integers {axes}, not {labels.dtype} "
                f"{labels.shape}. Give its DataSpec another `target`, or make other labels."
            )
        if labels.size and not 0 <= labels.min() <= labels.max() < len(classes):
            raise BadInput(
                f"The labels of {name} must be places of its {len(classes)} classes, from 0 on, "
                f"but run from {labels.min()} to {labels.max()}."
            )


@dataclass(frozen=True)
class OneClass(Target):
    """A target is one of the classes: labels (count,)."""

    per_step: ClassVar[bool] = False
    what: ClassVar[str] = "a class"

    def words(self, label: Any, classes: Sequence[str]) -> str:
        """Return the name of a class."""
        return classes[int(label)]

    def correct(self, labels: Any, answers: Any) -> Any:
        """Return where the answer is the label."""
        return labels == answers


@dataclass(frozen=True)
class Text(Target):
    """A target is a text of some of the data set's `classes`, which are its symbols: labels (count, step).

    `stop` is the place of the symbol that ends a text; what follows it counts for nothing. None where all steps count.
    """

    stop: int | None = None
    per_step: ClassVar[bool] = True
    what: ClassVar[str] = "a text"

    def words(self, label: Any, classes: Sequence[str]) -> str:
        """Return a text up to its stop symbol."""
        places = [int(place) for place in label]
        end = places.index(self.stop) if self.stop in places else len(places)
        return "".join(classes[place] for place in places[:end])

    def correct(self, labels: Any, answers: Any) -> Any:
        """Return where the whole text is right, with its stop symbol."""
        return ((labels == answers) | ~self.counted(labels)).all(1)

    def counted(self, labels: Any) -> Any:
        """Return which steps count: bool (count, step), those up to the first stop symbol, with it."""
        stops = labels == (-1 if self.stop is None else self.stop)
        return stops.cumsum(1) - 1 * stops < 1

"""The kinds of targets of pictures, a class or a text, and how they are shown and compared. A data set names its kind.

A model's answers are compared with targets in the same form: indices of classes, see `attnviz.answers.predicted`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput


class Target(ABC):
    """The kind of a data set's labels. Labels and answers may be NumPy arrays or tensors."""

    per_step: ClassVar[bool]
    """Whether there is a label for each step, (count, step), instead of one per picture, (count,)."""
    what: ClassVar[str]
    """The kind in words: "a class"."""

    @abstractmethod
    def words(self, label: Any, classes: Sequence[str]) -> str:
        """Return a picture's label, or an answer in the same form, in words."""

    @abstractmethod
    def correct(self, labels: Any, answers: Any) -> Any:
        """Return which answers are right, bool (count,)."""

    def check(self, name: str, labels: npt.NDArray[Any], classes: Sequence[str]) -> None:
        """Check that labels are of this kind: they have the right number of axes and are indices of classes."""
        axes = "(count, step)" if self.per_step else "(count,)"
        if labels.ndim != 1 + self.per_step or not np.issubdtype(labels.dtype, np.integer):
            raise BadInput(
                f"A target of {name} is {self.what}, so its labels must be integers {axes}, not {labels.dtype} "
                f"{labels.shape}. Give its DataSpec another `target`, or make other labels."
            )
        if labels.size and not 0 <= labels.min() <= labels.max() < len(classes):
            raise BadInput(
                f"The labels of {name} must be indices of its {len(classes)} classes, from 0 to {len(classes) - 1}, "
                f"but range from {labels.min()} to {labels.max()}."
            )


@dataclass(frozen=True)
class OneClass(Target):
    """A target that is one of the classes: labels (count,)."""

    per_step: ClassVar[bool] = False
    what: ClassVar[str] = "a class"

    def words(self, label: Any, classes: Sequence[str]) -> str:
        """Return the name of a class."""
        return classes[int(label)]

    def correct(self, labels: Any, answers: Any) -> Any:
        """Return whether each answer equals its label."""
        return labels == answers


@dataclass(frozen=True)
class Text(Target):
    """A target that is a text of symbols, which are the data set's `classes`: labels (count, step).

    `stop` is the index of the symbol that ends a text; steps after it do not count. None if all steps count.
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
        """Return whether each text is entirely right, including its stop symbol."""
        return ((labels == answers) | ~self.counted(labels)).all(1)

    def counted(self, labels: Any) -> Any:
        """Return the steps that count: bool (count, step), up to and including the first stop symbol."""
        stops = labels == (-1 if self.stop is None else self.stop)
        return stops.cumsum(1) - 1 * stops < 1

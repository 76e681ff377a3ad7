"""The tasks of the draw page: the models of one task share a pad, samples and a headline.

A task is defined by the names of the classes that models were trained on, as in their data sets. The models that the
URL names determine the task, and the pad is in colour if all of them take colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnviz import data
from attnviz.arrays import Bytes
from attnviz.data import DataSpec
from attnviz.data.inputs import digit
from attnviz.subjects import Net, Picture

SAMPLE = 8
"""The label of the class that the panels show before anything is drawn, or the last class if there are fewer."""


@dataclass(frozen=True)
class Task:
    """The task of several models: the names of all answers, and the data set of the pictures to start from."""

    classes: tuple[str, ...]
    data: str

    @property
    def spec(self) -> DataSpec:
        """The data set of the pictures to start from."""
        return data.spec(self.data)

    @property
    def digits(self) -> bool:
        """Whether the classes are digits."""
        return all(len(name) == 1 and name.isdecimal() for name in self.classes)

    @property
    def kind(self) -> str:
        """The collective name of the classes: "digits", or "classes of" the data set."""
        return "digits" if self.digits else f"classes of {self.spec.title}"

    @property
    def title(self) -> str:
        """The task's name in a picker."""
        return "Digits" if self.digits else self.spec.title

    @property
    def question(self) -> str:
        """The purpose of the page, in one sentence of Markdown."""
        *names, last = self.classes
        what = "a digit." if self.digits else f"or put in a picture: {', '.join(names)} or {last}."
        return f"Draw {what} Every model looks at it while you draw, each in its own way."

    @cached_property
    def side(self) -> int:
        """The side of a picture in pixels, the longer one if it is not square."""
        return max(self.spec.shape[:2])

    @property
    def channels(self) -> int:
        """The number of channels of the pad: 1 or 3."""
        return self.spec.shape[2]

    @property
    def canvas(self) -> int:
        """The side of the pad in pixels, a multiple of the picture's side with a resolution like that for digits."""
        return self.side * max(1, digit.CANVAS // self.side)

    def on_pad(self, picture: Bytes) -> Bytes:
        """Return a picture, uint8 (row, column, channel), centred in a square for the pad: (side, side), or in colour
        (side, side, 3).
        """
        rows, columns, channels = picture.shape
        side = max(rows, columns)
        square = np.zeros((side, side, channels), np.uint8)
        top, left = (side - rows) // 2, (side - columns) // 2
        square[top : top + rows, left : left + columns] = picture
        return square[:, :, 0] if channels == 1 else square

    def samples(self) -> list[tuple[str, Bytes, str]]:
        """Return the first available picture of each class: its name, the picture for the pad, and its class."""
        shown = data.shown(self.data)
        found = []
        for label, name in enumerate(self.spec.classes):
            of_class = shown.numbers[shown.labels == label]
            if len(of_class):
                number = int(of_class[0])
                found.append((f"{self.data}.{number}", self.on_pad(Picture(self.data, number).picture), name))
        return found

    def sample(self) -> Bytes:
        """Return the picture that the panels show before the first pen stroke, as from `on_pad`."""
        samples = self.samples()
        return samples[min(SAMPLE, len(samples) - 1)][1]


def classes_of(net: Net) -> tuple[str, ...] | None:
    """Return all classes of the task that a net was trained for, of which it may have only some, or None if unknown."""
    own = set(net.classes)
    trained = [data.DATASETS[net.data]] if net.data and net.data in data.DATASETS else []
    return next((its.classes for its in [*trained, *data.DATASETS.values()] if own <= {*its.classes}), None)


def of_nets(nets: Sequence[Net]) -> Task | None:
    """Return the task of the first net; its pad is in colour if all nets of the task take colours."""
    classes = classes_of(nets[0]) if nets else None
    if classes is None:
        return None
    colours = min(net.input.channels for net in nets if classes_of(net) == classes)
    here = [name for name in data.sources(classes) if not data.spec(name).target.per_step]
    fitting = [name for name in here if data.spec(name).shape[2] == colours]
    names = fitting or here
    return Task(classes, names[0]) if names else None


def without_models() -> Task:
    """Return the task of the first data set with pictures here, for a pad without panels."""
    name = next(name for name in data.DATASETS if data.can_show(name))
    return Task(data.spec(name).classes, name)

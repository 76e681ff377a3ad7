"""The data sets, and their test pictures, that suit a net."""

import random

import numpy as np
import numpy.typing as npt

from attnviz import data
from attnviz.subjects import Net
from attnviz.ui.shared import findings

ANY = "any"
"""The choice that matches pictures of all classes."""


def sources(net: Net) -> list[str]:
    """Return the data sets with a net's classes and input shape that have pictures available here."""
    return [name for name in alike(net) if data.can_show(name)]


def alike(net: Net) -> list[str]:
    """Return the data sets, available or not, with a net's classes and shape; of its `input`, if it names no data."""
    if net.data is None:
        shape = net.input.rows, net.input.columns, net.input.channels
        return [
            name for name, its in data.DATASETS.items() if its.shape == shape and set(net.classes) <= {*its.classes}
        ]
    spec = data.spec(net.data)
    return [name for name, its in data.DATASETS.items() if (its.classes, its.shape) == (spec.classes, spec.shape)]


def labels(net: Net, source: str) -> list[int]:
    """Return a data set's labels for a net's classes."""
    return [label for label, name in enumerate(data.spec(source).classes) if name in net.classes]


def default_source(net: Net) -> str:
    """Return the data set that a net was trained on, or another with the same classes and shape if that is not
    available; "" if no data set here has such pictures.
    """
    here = sources(net)
    trained_on = net.data or ""
    return trained_on if trained_on in here or not here else here[0]


def stand_in(net: Net) -> str:
    """Return the data set for tests that need many pictures: `default_source`, or a substitute if there is none."""
    return default_source(net) or ("cifar10" if net.input.channels == 3 else "strokes")


def nearest(source: str, wanted: int, before: int) -> int:
    """Return the number that was typed or stepped to or, if that picture is not available here, the next one that is,
    in the direction away from the previous picture, `before`.
    """
    numbers = data.shown(source).numbers
    place = int(np.searchsorted(numbers, wanted, "right")) - 1 if wanted < before else np.searchsorted(numbers, wanted)
    return int(numbers[min(max(place, 0), len(numbers) - 1)])


class Fitting:
    """The available test pictures of the chosen class, or of all the net's classes, or only those answered wrongly.

    `all` is False while the search for wrong answers is still running.
    """

    def __init__(self, net: Net, source: str, chosen: str, wrong: bool) -> None:
        self._choice = net, source, chosen, wrong
        shown, names = data.shown(source), data.DATASETS[source].classes
        wanted = net.classes if chosen == ANY else (chosen,)
        fits = np.array([name in wanted for name in names])
        self.numbers: npt.NDArray[np.int64] = shown.numbers[fits[shown.labels]]
        self.all = True
        if wrong:
            known, self.all = findings.wrong_answers(net, source)
            self.numbers = np.intersect1d(self.numbers, known)

    def again(self) -> "Fitting":
        """Return the pictures that match the same choice now."""
        return Fitting(*self._choice)

    def after(self, number: int) -> int | None:
        """Return the next picture, wrapping around after the last, or None if no picture matches."""
        if not len(self.numbers):
            return None
        return int(self.numbers[np.searchsorted(self.numbers, number, "right") % len(self.numbers)])

    def random(self) -> int | None:
        """Return a random picture, or None if no picture matches."""
        return int(random.choice(self.numbers)) if len(self.numbers) else None

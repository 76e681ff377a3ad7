"""Pictures that a net was not trained on: test pictures, or the validation part of a visitor's data. Loads torch."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz import data
from attnviz.errors import DataError
from attnviz.subjects import Loaded, Net
from attnviz.training import runs
from attnviz.ui.shared import cache, pickers


@dataclass(frozen=True, eq=False)
class Unseen:
    """Pictures that a net was not trained on, uint8 (picture, row, column, channel), fitted to it, with the right
    answers as indices of its classes, and a description in words.
    """

    pictures: npt.NDArray[np.uint8]
    answers: npt.NDArray[np.int64]
    said: str

    def __len__(self) -> int:
        return len(self.answers)


def unseen(net: Net, most: int) -> Unseen:
    """Return at most `most` pictures that a net was not trained on, the same for every epoch of a training."""
    return cache.of_net(_unseen, net, most)


def _unseen(loaded: Loaded, most: int) -> Unseen:
    net = loaded.net
    if net.data is None:
        return _held_out(net, most)
    if not pickers.sources(net):
        raise DataError(f"There are no pictures here that {net.title} can be tried on: its data set is not here.")
    source = pickers.default_source(net)
    shown, spec = data.shown(source), data.DATASETS[source]
    fitting = pickers.Fitting(net, source, pickers.ANY, wrong=False).numbers
    numbers = fitting[_spread(len(fitting), most)]
    places = np.searchsorted(shown.numbers, numbers)
    images, labels = data.pick(source, shown.split, places)
    kind = "test pictures" if shown.split == "test" else "sample pictures of the test part"
    fitted = np.stack([*map(net.fitted, images)])
    answers = np.array([net.classes.index(spec.classes[label]) for label in labels])
    return Unseen(fitted, answers, f"{len(numbers)} {kind} of {spec.title}")


def _held_out(net: Net, most: int) -> Unseen:
    """Return pictures of the validation part of a run on a visitor's own data."""
    from attnviz.training import examples

    recipe = runs.read(net.history.removeprefix("run:")).recipe
    whole = data.load(recipe.data, "train", classes=recipe.classes)
    held_out, _ = examples.split(len(whole.labels), recipe)
    if not len(held_out):
        raise DataError("This model was trained on all of its pictures, so none is left to try it on.")
    chosen = held_out.numpy()[_spread(len(held_out), most)]
    fitted = np.stack([net.fitted(image) for image in whole.images[chosen]])
    return Unseen(fitted, whole.labels[chosen].astype(np.int64), f"{len(chosen)} pictures of its validation part")


def _spread(count: int, most: int) -> npt.NDArray[np.int64]:
    """Return `most` indices spread evenly over `count`, or all."""
    few = min(count, most)
    return np.arange(few) * count // max(1, few)

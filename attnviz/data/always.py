"""Built-in pictures like those that a model was trained on, which need no download."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from attnviz.data import load, samples, spec, strokes
from attnviz.data.specs import DATASETS

FEW = 200  # pictures of a generated data set, enough to find some of each class


def source(name: str) -> str | None:
    """Return the data set of built-in pictures: one drawn by attnviz with the same classes and, if possible, the same
    shape; else the data set itself, if it has samples; else None.
    """
    its = spec(name)
    drawn = [other for other, one in DATASETS.items() if one.make and not one.megabytes and one.classes == its.classes]
    drawn.sort(key=lambda other: DATASETS[other].shape != its.shape)
    return drawn[0] if drawn else name if name in samples.about() else None


def first_labels(name: str, classes: Sequence[int], count: int) -> tuple[int, ...]:
    """Return labels of built-in pictures: each class in turn for strokes, else the labels of the first pictures."""
    if name == "strokes":
        return tuple(classes[i % len(classes)] for i in range(count))
    return tuple([label for label in _few(name)[1].tolist() if label in classes][:count])


def pictures(name: str, labels: Sequence[int], seed: int | None) -> npt.NDArray[np.uint8]:
    """Return built-in pictures, uint8 (label, row, column, channel): seeded strokes, or the first with these labels."""
    if seed is not None:
        return strokes.draw(np.asarray(labels), seed=seed)
    images, known = _few(name)
    return images[np.isin(known, labels)][: len(labels)]


def one_of_each(name: str, classes: Sequence[int]) -> npt.NDArray[np.uint8]:
    """Return the first built-in picture of each class that has one, uint8 (class, row, column, channel)."""
    images, labels = _few(name)
    return images[[int(np.flatnonzero(labels == label)[0]) for label in classes if label in labels]]


def _few(name: str) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    if name in samples.about():
        return load(name, "samples")
    return load(name, "test", count=min(FEW, spec(name).counts["test"]))

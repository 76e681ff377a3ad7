"""Pictures to look at and to learn from.

    from attnviz import data

    images, labels = data.load("strokes", split="test")             # always here
    ones_and_eights = data.load("mnist", split="test", classes=(8, 1))  # eights are 0, ones are 1

`DATASETS` lists them. All but `strokes`, which is drawn by this software, are downloaded once by `fetch` and kept in
`folder()`. Nothing here imports torch, except `fetch` when it downloads.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from attnviz.data import strokes
from attnviz.data.specs import DATASETS, Dataset, DataSpec
from attnviz.data.store import available, fetch, folder, read, spec
from attnviz.errors import BadInput, UnknownName

__all__ = ["DATASETS", "DataSpec", "Dataset", "available", "digest", "fetch", "folder", "labels", "load", "subset"]


def load(name: str, split: str = "train", classes: Sequence[int] | None = None, *, count: int | None = None) -> Dataset:
    """Load a split of a data set.

    Args:
        name: a name in `DATASETS`.
        split: "train" or "test".
        classes: keep only these labels, see `subset`. None keeps all.
        count: look only at the first so many pictures of the split, before `classes` chooses; of `strokes` only
            these are drawn. None is all.

    Returns:
        images uint8 (count, row, column, channel) in 0..255, labels int64 (count,). May be memory-mapped or shared
        with other callers, and then cannot be written to: copy before you change it.

    Raises:
        UnknownName: no such data set, split or class; says the closest.
        BadInput: a negative count or one beyond the split, or classes of which nothing could be kept.
        DataError: its files are not here, or damaged; says what to do.
    """
    its = spec(name)
    if split not in its.counts:
        raise UnknownName(f"split of {name}", split, its.counts)
    if count is not None and not 0 <= count <= its.counts[split]:
        raise BadInput(f"{name}/{split} has {its.counts[split]:,} pictures; {count:,} of them cannot be had.")
    if classes is not None:
        _check(classes, its)
    dataset = Dataset(*strokes.load(split, count)) if its.torchvision is None else read(name, split)
    if count is not None:
        dataset = Dataset(dataset.images[:count], dataset.labels[:count])
    return dataset if classes is None else subset(dataset, classes)


def labels(name: str, split: str = "train") -> npt.NDArray[np.int64]:
    """Load the labels of a split alone, int64 (count,): of `strokes` nothing is drawn for that.

    Raises:
        as `load` does.
    """
    return strokes.labels(split) if spec(name).torchvision is None else load(name, split).labels


def subset(dataset: Dataset, classes: Sequence[int]) -> Dataset:
    """Keep the pictures of some classes, in their order, and label them by the place of their class in `classes`.

    Args:
        dataset: what to choose from.
        classes: labels to keep, each once: (8, 1) turns eights into 0 and ones into 1.

    Returns:
        A copy, which may be empty.

    Raises:
        BadInput: no class, the same one twice, or something that is no whole number.
    """
    _check(classes)
    place = np.full(max(int(dataset.labels.max(initial=0)), *classes) + 1, -1, np.int64)
    place[list(classes)] = np.arange(len(classes))
    labels = place[dataset.labels]
    return Dataset(dataset.images[labels >= 0], labels[labels >= 0])


def digest(dataset: Dataset) -> str:
    """Name a data set by its content: the sha256, in hex, of its shape, pixels and labels."""
    hashed = hashlib.sha256(repr(dataset.images.shape).encode())
    hashed.update(np.ascontiguousarray(dataset.images, np.uint8).data)
    hashed.update(np.ascontiguousarray(dataset.labels, "<i8").data)
    return hashed.hexdigest()


def _check(classes: Sequence[int], its: DataSpec | None = None) -> None:
    if not all(isinstance(label, int | np.integer) and label >= 0 for label in classes) or not len(classes):
        raise BadInput(f"Classes are chosen by their labels, such as (8, 1); {classes!r} cannot be used.")
    if len(set(classes)) < len(classes):
        raise BadInput(f"Each class can be chosen once; {tuple(classes)!r} names one twice.")
    for label in classes if its else ():
        if its and label >= len(its.classes):
            raise UnknownName(f"class of {its.name}", str(label), [str(known) for known in range(len(its.classes))])

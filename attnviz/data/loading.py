"""Loading the pictures of a data set, or some of them, and listing the available ones."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.data import samples, store
from attnviz.data.specs import DATASETS, Dataset, DataSpec
from attnviz.data.store import Progress, read, spec
from attnviz.errors import AttnvizError, BadInput, DataError, UnknownName
from attnviz.looks import again, once


class Shown(NamedTuple):
    """The test pictures of a data set that are available here: the split, "test" if all are and else "samples", their
    ascending indices in the test split and their labels, int64 (count,).
    """

    split: str
    numbers: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]

    def place(self, number: int) -> int | None:
        """Return the index among these of the test picture with the given number, or None if it is not available."""
        place = int(np.searchsorted(self.numbers, number))
        return place if place < len(self.numbers) and self.numbers[place] == number else None


def load(name: str, split: str = "train", classes: Sequence[int] | None = None, *, count: int | None = None) -> Dataset:
    """Load a split of a data set.

    Args:
        name: a name in `DATASETS`.
        split: "train" or "test"; for cluttered digits also "validation"; or "samples", a few of the test pictures, see
            `attnviz.data.samples`.
        classes: the labels to keep, see `subset`; None keeps all.
        count: the number of pictures to use from the start of the split, before `classes` selects among them; of a
            generated data set, such as `strokes`, only these are generated. None uses all.

    Returns:
        images uint8 (count, row, column, channel) in 0..255, labels int64 (count,), or (count, step) if a target is a
        text. They may be memory-mapped or shared with other callers, and then cannot be written to: copy them before
        changing them.

    Raises:
        UnknownName: there is no such data set, split or class; the message names the closest.
        BadInput: the count is negative or beyond the split, the classes are not valid, or the labels do not match the
            data set's target.
        DataError: its files are missing or damaged, or it has only batches, see `batches`; the message says what to do.
    """
    its = spec(name)
    if its.batches is not None:
        raise DataError(
            f"{name} makes its examples anew in each batch, so none can be chosen. Choose another data set."
        )
    counts = {**its.counts, "samples": len(samples.read(name).labels)} if split == "samples" else its.counts
    if split not in counts:
        raise UnknownName(f"split of {name}", split, counts)
    if count is not None and not 0 <= count <= counts[split]:
        raise BadInput(f"{name}/{split} has {counts[split]:,} pictures, so {count:,} cannot be loaded.")
    if classes is not None:
        _check(classes, its)
    if split == "samples":
        dataset = Dataset(*samples.read(name)[:2])
    else:
        if its.make is None:
            dataset = read(name, split)
        elif classes is not None and len(classes) < len(its.classes) and its.make_some and not its.made_from:
            dataset = _of_classes(name, split, tuple(classes), count, its.make_some)
            count = None
        else:
            dataset = Dataset(*its.make(split, count))
        its.target.check(name, dataset.labels, its.classes)
    if count is not None:
        dataset = Dataset(dataset.images[:count], dataset.labels[:count])
    if classes is None or (its.target.per_step and tuple(classes) == tuple(range(len(its.classes)))):
        return dataset
    return subset(dataset, classes)


@lru_cache(maxsize=4)
def _of_classes(
    name: str, split: str, classes: tuple[int, ...], count: int | None, make: Callable[..., tuple[Any, Any]]
) -> Dataset:
    """Make only the pictures of some classes: two digits of ten take a fifth of the time."""
    return Dataset(*make(split, np.flatnonzero(np.isin(labels(name, split)[:count], classes))))


def pick(name: str, split: str, numbers: Sequence[int] | npt.NDArray[np.int64]) -> Dataset:
    """Load some pictures of a split; of a generated data set only these are made, if it supports that.

    Args:
        split: as in `load`.

    Returns:
        images uint8 (count, row, column, channel), labels int64 (count,), in the order of the numbers.

    Raises:
        UnknownName, DataError: as in `load`.
        BadInput: an index is beyond the split.
    """
    its, wanted = spec(name), np.asarray(numbers, np.int64)
    whole = None if its.make_some and split in its.counts else load(name, split)
    count = its.counts[split] if whole is None else len(whole.labels)
    if wanted.size and not 0 <= wanted.min() <= wanted.max() < count:
        raise BadInput(f"{name}/{split} has the pictures 0 to {count - 1:,}, so {wanted.tolist()} cannot be loaded.")
    if whole is not None:
        return Dataset(whole.images[wanted], whole.labels[wanted])
    assert its.make_some is not None
    return Dataset(*its.make_some(split, wanted))


def labels(name: str, split: str = "train") -> npt.NDArray[np.int64]:
    """Load only the labels of a split, int64 (count,), without drawing the pictures of `strokes`.

    Raises:
        as in `load`.
    """
    make = spec(name).make_labels
    return make(split) if make else load(name, split).labels


def fetch(name: str, progress: Progress | None = None) -> None:
    """Download a data set; see `attnviz.data.store.fetch`."""
    try:
        store.fetch(name, progress)
    finally:
        again()


def available(name: str) -> bool:
    """Return whether a data set can be loaded now, without a download.

    Raises:
        UnknownName: there is no data set of that name.
    """
    return once(f"available {name}", lambda: store.available(name))


def downloaded() -> tuple[str, ...]:
    """Return the downloaded data sets; samples or drawn digits replace the others."""

    def is_here(name: str, its: DataSpec) -> bool:
        with suppress(AttnvizError):  # unreadable files are reported when they are used
            return its.make is None and its.batches is None and available(name)
        return False

    return once("downloaded", lambda: tuple(name for name, its in DATASETS.items() if is_here(name, its)))


def shown(name: str) -> Shown:
    """Return the test pictures of a data set that are available here: all of them, or else its samples.

    Raises:
        UnknownName: there is no such data set.
        DataError: it is not available and has no samples; the message says what to do.
    """
    return once(f"shown {name}", lambda: _shown(name))


def _shown(name: str) -> Shown:
    try:
        found = labels(name, "test")
    except DataError:
        if name not in samples.about():
            raise
        few = samples.read(name)
        return Shown("samples", few.numbers, few.labels)
    return Shown("test", np.arange(len(found)), found)


def sources(classes: Sequence[str], shape: tuple[int, int, int] | None = None) -> list[str]:
    """Return the data sets with the given classes that have available pictures, in the order of the table.

    Args:
        classes: the classes of a data set, such as `DATASETS["mnist"].classes`.
        shape: the shape of its pictures, (row, column, channel); None for any.
    """
    alike = [name for name, its in DATASETS.items() if its.classes == tuple(classes) and shape in (None, its.shape)]
    return [name for name in alike if can_show(name)]


def can_show(name: str) -> bool:
    """Return whether test pictures or samples of a data set, with their numbers, are available now.

    Raises:
        UnknownName: there is no data set of that name.
    """
    return name in samples.about() or (spec(name).batches is None and available(name))


def subset(dataset: Dataset, classes: Sequence[int]) -> Dataset:
    """Keep the pictures of some classes, in order, and label them by the index of their class in `classes`.

    Args:
        dataset: the data set to select from.
        classes: labels to keep, without repetition: (8, 1) turns eights into 0 and ones into 1.

    Returns:
        A copy, which may be empty.

    Raises:
        BadInput: there is no class, a class occurs twice or is not a whole number, or the labels are texts.
    """
    _check(classes)
    if dataset.labels.ndim != 1:
        raise BadInput(
            f"Pictures are chosen by their class, but these labels are texts, {dataset.labels.shape}: take all symbols."
        )
    place = np.full(max(int(dataset.labels.max(initial=0)), *classes) + 1, -1, np.int64)
    place[list(classes)] = np.arange(len(classes))
    labels = place[dataset.labels]
    return Dataset(dataset.images[labels >= 0], labels[labels >= 0])


def digest(dataset: Dataset) -> str:
    """Return a data set's digest: the sha256, in hex, of its shape, pixels and labels."""
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


def batches(name: str, split: str = "train", *, size: int, seed: int = 0) -> Iterator[Dataset]:
    """Yield the batches of an epoch of a data set whose `DataSpec` has `batches`: each has `size` pictures of one
    shape, the last perhaps fewer, and together they have as many as its `counts`.

    BadInput: it has no batches, or they do not match its `DataSpec`.
    """
    its = spec(name)
    if split not in its.counts:
        raise UnknownName(f"split of {name}", split, its.counts)
    if its.batches is None:
        raise BadInput(f"{name} has no batches: load its pictures with attnviz.data.load.")
    left = its.counts[split]
    for batch in its.batches(split, size, seed):
        _check_batch(its, batch, min(size, left))
        left -= len(batch.images)
        yield batch
    if left:
        raise BadInput(f"{name}/{split} must yield {its.counts[split]:,} pictures per epoch; {left:,} are missing.")


def digest_of_batches(name: str, split: str, size: int) -> str:
    """Return the digest of a data set that makes its own batches: the sha256, in hex, of the batches with seed 0."""
    hashed = hashlib.sha256()
    for batch in batches(name, split, size=size):
        hashed.update(repr((batch.images.shape, batch.labels.shape)).encode())
        hashed.update(np.ascontiguousarray(batch.images, np.uint8).data)
        hashed.update(np.ascontiguousarray(batch.labels, "<i8").data)
    return hashed.hexdigest()


def _check_batch(its: DataSpec, batch: Dataset, size: int) -> None:
    images, (least, most) = batch.images, its.widths
    rows, _, channels = its.shape
    if images.dtype != np.uint8 or images.ndim != 4 or (images.shape[1], images.shape[3]) != (rows, channels):
        raise BadInput(
            f"A batch of {its.name} must be uint8 (batch, {rows}, column, {channels}), not {images.dtype} "
            f"{images.shape}."
        )
    if not least <= images.shape[2] <= most:
        raise BadInput(
            f"Pictures of {its.name} must be {least} to {most} pixels wide, not {images.shape[2]}. "
            "The `columns` of its DataSpec set these limits."
        )
    if len(images) != size or len(batch.labels) != size:
        raise BadInput(
            f"A batch of {its.name} must have {size} pictures and as many labels here, not {len(images)} and "
            f"{len(batch.labels)}."
        )
    its.target.check(its.name, batch.labels, its.classes)

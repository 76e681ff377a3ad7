"""Data sets that hand out batches themselves, because their pictures differ in width or are made as they are needed."""

import hashlib
from collections.abc import Iterator

import numpy as np

from attnviz.data.specs import Dataset, DataSpec
from attnviz.data.store import spec
from attnviz.errors import BadInput, UnknownName


def batches(name: str, split: str = "train", *, size: int, seed: int = 0) -> Iterator[Dataset]:
    """Yield the batches, each of so many pictures of one size or in the end fewer, of a data set whose `DataSpec` has
    `batches`, together as many as its `counts` say.

    BadInput: it has no batches, or they are not as its `DataSpec` says.
    """
    its = spec(name)
    if split not in its.counts:
        raise UnknownName(f"split of {name}", split, its.counts)
    if its.batches is None:
        raise BadInput(f"{name} hands out no batches: load its pictures with attnviz.data.load.")
    left = its.counts[split]
    for batch in its.batches(split, size, seed):
        _check(its, batch, min(size, left))
        left -= len(batch.images)
        yield batch
    if left:
        raise BadInput(f"{name}/{split} must hand out {its.counts[split]:,} pictures an epoch; {left:,} are missing.")


def digest(name: str, split: str, size: int) -> str:
    """Return the digest of a data set that hands out batches: the sha256, in hex, of the batches of seed 0."""
    hashed = hashlib.sha256()
    for batch in batches(name, split, size=size):
        hashed.update(repr((batch.images.shape, batch.labels.shape)).encode())
        hashed.update(np.ascontiguousarray(batch.images, np.uint8).data)
        hashed.update(np.ascontiguousarray(batch.labels, "<i8").data)
    return hashed.hexdigest()


def _check(its: DataSpec, batch: Dataset, size: int) -> None:
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
            "Say otherwise in the `columns` of its DataSpec."
        )
    if len(images) != size or len(batch.labels) != size:
        raise BadInput(
            f"A batch of {its.name} must have {size} pictures and as many labels here, not {len(images)} and "
            f"{len(batch.labels)}."
        )
    its.target.check(its.name, batch.labels, its.classes)

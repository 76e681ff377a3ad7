"""The row of `attnviz.data.DATASETS`: strips of one to three drawn digits, made as they are needed."""

from collections.abc import Iterator

import numpy as np

from attnviz.data import Dataset, DataSpec, Text, strokes

SIDE, MOST = 28, 3
COUNTS = {"train": 320, "validation": 64, "test": 96}


def batches(split: str, size: int, seed: int) -> Iterator[Dataset]:
    """Yield the batches of an epoch; all strips of a batch have as many digits."""
    rng = np.random.default_rng((list(COUNTS).index(split), seed))
    for first in range(0, COUNTS[split], size):
        count, digits = min(size, COUNTS[split] - first), int(rng.integers(1, MOST + 1))
        labels = rng.integers(0, 10, (count, digits))
        drawn = strokes.draw(labels.ravel(), seed=int(rng.integers(2**31)))
        strips = drawn.reshape(count, digits, SIDE, SIDE, 1).swapaxes(1, 2).reshape(count, SIDE, digits * SIDE, 1)
        yield Dataset(strips, labels)


SPEC = DataSpec(
    name="short_strips",
    title="Short strips",
    about="Strips of one to three digits drawn by attnviz.",
    shape=(SIDE, MOST * SIDE, 1),
    classes=tuple("0123456789"),
    counts=COUNTS,
    megabytes=0,
    source="strip_reader/strips.py",
    target=Text(),
    columns=(SIDE, MOST * SIDE),
    batches=batches,
    ink=True,
)
